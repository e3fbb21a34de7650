//! The test programs of the copy.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::mistake::{Mistake, Test, VARIABLE};
use crate::command;

/// Features that the tests of the client ask for beside the default ones.
const FEATURES: [(&str, &str); 1] = [("queue-jobs", "fs,msgpack,testing")];
/// Seconds for one test, all of which take less than one; a mistake may make it wait for ever.
const PATIENCE_S: &str = "60";

pub(super) struct Programs(BTreeMap<(&'static str, &'static str), Program>);

struct Program {
    path: PathBuf,
    /// Where cargo would run it.
    folder: PathBuf,
}

/// What a test said.
pub(super) struct Outcome {
    pub(super) is_green: bool,
    pub(super) is_red: bool,
}

/// Compiles what the mistakes are tried with, in a target folder of its own: cargo takes a copy for
/// the original, and one would get the other's libraries.
pub(super) fn build(copy: &Path, mistakes: &[Mistake]) -> Result<Programs> {
    let wanted: BTreeSet<_> =
        mistakes.iter().map(|Mistake { caught_by: test, .. }| (test.package, test.target)).collect();
    let mut programs = BTreeMap::new();
    for (package, target) in wanted {
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.args([
            "test",
            "--quiet",
            "--no-run",
            "--message-format",
            "json",
            "-p",
            package,
            "--test",
            target,
        ]);
        if let Some((_, features)) = FEATURES.iter().find(|(of, _)| *of == package) {
            cargo.args(["--features", features]);
        }
        cargo.current_dir(copy).env("CARGO_TARGET_DIR", copy.with_file_name("target"));
        let output = cargo.stderr(Stdio::inherit()).output().context("cannot start cargo")?;
        let told = String::from_utf8_lossy(&output.stdout);
        if !output.status.success() {
            bail!(
                "`{}` fails:\n{}",
                command::line(&cargo),
                told.lines().filter_map(error).collect::<String>()
            );
        }
        let program = told.lines().find_map(|line| program(line, target));
        programs.insert(
            (package, target),
            program.with_context(|| format!("no program of {package}, {target}"))?,
        );
    }
    Ok(Programs(programs))
}

/// An error, as cargo would show it. Of the conditions around the mistakes the compiler says that
/// they could be prettier.
fn error(line: &str) -> Option<String> {
    let told: Value = serde_json::from_str(line).ok()?;
    let message = &told["message"];
    let is_error = message["level"] == "error";
    message["rendered"].as_str().filter(|_| is_error).map(str::to_owned)
}

/// The program of a target, if this line of cargo's is about it.
fn program(line: &str, target: &str) -> Option<Program> {
    let told: Value = serde_json::from_str(line).ok()?;
    if told["target"]["name"] != target || told["target"]["kind"][0] != "test" {
        return None;
    }
    let path = told["executable"].as_str()?.into();
    let folder = Path::new(told["manifest_path"].as_str()?).parent()?.to_owned();
    Some(Program { path, folder })
}

impl Programs {
    /// Runs one test, with a mistake or without.
    pub(super) fn run(&self, test: &Test, mistake: Option<&str>) -> Result<Outcome> {
        let program = &self.0[&(test.package, test.target)];
        let mut command = Command::new("timeout");
        command.arg(PATIENCE_S).arg(&program.path).args(["--exact", test.name]).current_dir(&program.folder);
        command.env_remove(VARIABLE).envs(mistake.map(|mistake| (VARIABLE, mistake)));
        let output = command.output().with_context(|| format!("cannot run {}", program.path.display()))?;
        let told = String::from_utf8_lossy(&output.stdout);
        let says = |what: &str| told.lines().any(|line| line == format!("test {} ... {what}", test.name));
        Ok(Outcome { is_green: output.status.success() && says("ok"), is_red: says("FAILED") })
    }
}

#[cfg(test)]
mod tests {
    use super::{error, program};
    use std::path::Path;

    #[test]
    fn the_program_of_a_target_is_found_among_what_cargo_tells() {
        let line = r#"{"reason":"compiler-artifact","manifest_path":"/c/Cargo.toml","target":{"kind":["test"],"name":"due"},"executable":"/t/due-1"}"#;
        let found = program(line, "due").expect("it is this one");
        assert_eq!((found.path.as_path(), found.folder.as_path()), (Path::new("/t/due-1"), Path::new("/c")));
        assert!(program(line, "it").is_none());
        assert!(program(&line.replace(r#"["test"]"#, r#"["lib"]"#), "due").is_none());
        assert!(program("no JSON", "due").is_none());
    }

    #[test]
    fn errors_are_shown_and_warnings_are_not() {
        let line = |level| format!(r#"{{"message":{{"level":"{level}","rendered":"as shown"}}}}"#);
        assert_eq!(error(&line("error")).as_deref(), Some("as shown"));
        assert_eq!(error(&line("warning")), None);
    }
}
