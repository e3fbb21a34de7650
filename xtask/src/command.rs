//! Programs run in the root of the work tree, with an error that names the whole command line.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

use anyhow::{Context, Result, bail};

use crate::repo::Repo;

/// What `cargo run` says to this program about its own package. Build scripts of other packages
/// would take a change of it for a change of theirs.
const OF_THIS_PACKAGE: [&str; 2] = ["CARGO_PKG_", "CARGO_MANIFEST_"];

/// A `cargo` call of the toolchain that runs this program, as if it was made by hand.
pub(crate) fn cargo(repo: &Repo, arguments: &[&str]) -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(arguments).current_dir(repo.root());
    for (name, _) in std::env::vars_os() {
        if OF_THIS_PACKAGE.iter().any(|prefix| name.to_string_lossy().starts_with(prefix)) {
            command.env_remove(name);
        }
    }
    command
}

/// Runs to the end with the output shown; any exit code but 0 is an error.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot start `{}`", line(command)))?;
    require_success(command, status)
}

/// Runs to the end with the output shown line by line, and returns standard output.
pub(crate) fn shown(command: &mut Command) -> Result<String> {
    let spawned = command.stdout(Stdio::piped()).spawn();
    let mut child = spawned.with_context(|| format!("cannot start `{}`", line(command)))?;
    let mut text = String::new();
    for line in BufReader::new(child.stdout.take().expect("it is piped")).lines() {
        let line = line?;
        println!("{line}");
        text.push_str(&line);
        text.push('\n');
    }
    require_success(command, child.wait()?)?;
    Ok(text)
}

/// Runs to the end and returns standard output; standard error is shown.
pub(crate) fn output(command: &mut Command) -> Result<Vec<u8>> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot start `{}`", line(command)))?;
    require_success(command, output.status)?;
    Ok(output.stdout)
}

/// The command as a person would type it: without its environment and the folder of its program.
pub(crate) fn line(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let words = std::iter::once(program.file_name().unwrap_or_default()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

fn require_success(command: &Command, status: ExitStatus) -> Result<()> {
    if !status.success() {
        bail!("`{}` ended with {status}", line(command));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{cargo, output, run, shown};
    use crate::repo::Repo;
    use std::process::Command;

    #[test]
    fn cargo_is_called_as_if_by_hand() {
        let command = cargo(&Repo::find(), &["--version"]);
        let removed: Vec<_> = command.get_envs().filter(|(_, value)| value.is_none()).collect();
        assert!(removed.iter().any(|(name, _)| *name == "CARGO_PKG_NAME"), "{removed:?}");
        assert!(removed.iter().any(|(name, _)| *name == "CARGO_MANIFEST_DIR"), "{removed:?}");
    }

    #[test]
    fn an_exit_code_is_an_error_that_names_the_command() {
        let error = run(Command::new("/bin/sh").args(["-c", "exit 3"])).expect_err("exit 3 is a failure");
        assert!(error.to_string().contains("`sh -c exit 3`"), "{error}");
    }

    #[test]
    fn a_missing_program_is_an_error_that_names_it() {
        let error = run(&mut Command::new("no-such-program")).expect_err("there is no such program");
        assert!(error.to_string().contains("no-such-program"), "{error}");
    }

    #[test]
    fn output_that_is_shown_is_returned_too() {
        let text = shown(Command::new("sh").args(["-c", "echo one; echo two"])).expect("echo works");
        assert_eq!(text, "one\ntwo\n");
        shown(Command::new("sh").args(["-c", "echo one; exit 3"])).expect_err("exit 3 is a failure");
    }

    #[test]
    fn output_is_returned() {
        let text = output(Command::new("sh").args(["-c", "printf yes"])).expect("printf works");
        assert_eq!(text, b"yes");
    }
}
