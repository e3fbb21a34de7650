//! The scripts with which shells complete the command.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::made::Made;
use crate::command;
use crate::machine::works;

/// A shell, its script, and how it says the candidates of a line that is half typed.
struct Shell {
    name: &'static str,
    file: &'static str,
    /// Keeps it from reading files of this machine.
    alone: &'static str,
    /// Finds the path of the script in `$SCRIPT`, and prints a candidate a line.
    ask: &'static str,
}

const STORE: &str = "sqlite:kinds.db";
/// A kind of that store; the lines below end with its beginning.
const KIND: &str = "email";

const SHELLS: [Shell; 3] = [
    Shell {
        name: "bash",
        file: "completions/queue.bash",
        alone: "--norc",
        ask: r#"
            . "$SCRIPT"
            COMP_WORDS=(queue list --store sqlite : kinds.db --kind e) COMP_CWORD=7 COMP_TYPE=9
            function=$(complete -p queue | sed 's/.*-F \([^ ]*\).*/\1/')
            "$function" queue e --kind
            printf '%s\n' "${COMPREPLY[@]}""#,
    },
    Shell {
        name: "fish",
        file: "completions/queue.fish",
        alone: "--no-config",
        ask: "source $SCRIPT; complete --do-complete 'queue list --store sqlite:kinds.db --kind e'",
    },
    Shell {
        name: "zsh",
        file: "completions/_queue",
        alone: "--no-rcs",
        // The two functions of its completion, which only a terminal has: they note and print.
        ask: r"
            compdef() { completer=$1 }
            _describe() { print -l -- ${(P)@[-1]} }
            . $SCRIPT
            words=(queue list --store sqlite:kinds.db --kind e) CURRENT=6
            $completer",
    },
];

/// Has the command write them, and has each shell that is here complete a kind of a store.
pub(super) fn make(queue: &Path, scratch: &Path, made: &mut Made) -> Result<()> {
    fs::create_dir_all(scratch)?;
    fs::create_dir_all(made.folder().join("completions"))?;
    let job = ["enqueue", "Ada", "--store", STORE, "--kind", KIND];
    command::output(Command::new(queue).args(job).current_dir(scratch))?;
    for shell in SHELLS {
        let script = command::output(Command::new(queue).args(["completions", shell.name]))?;
        let path = made.folder().join(shell.file);
        fs::write(&path, script)?;
        if works(shell.name, &["--version"]) {
            prove(&shell, queue, &path, scratch)?;
            made.add(shell.file, format!("{} completes a kind of a store by it", shell.name));
        } else {
            made.add(shell.file, "written by the command");
            made.not_proved(format!("completions of {0}: there is no {0}", shell.name));
        }
    }
    Ok(())
}

/// The command is found by its name, as users have it.
fn prove(shell: &Shell, queue: &Path, script: &Path, scratch: &Path) -> Result<()> {
    let folder = queue.parent().context("the command lies in a folder")?;
    let path = format!("{}:/usr/bin:/bin", folder.display());
    let mut ask = Command::new(shell.name);
    ask.args([shell.alone, "-c", shell.ask]).current_dir(scratch).env_clear();
    ask.env("PATH", path).env("HOME", scratch).env("SCRIPT", script);
    let said = command::output(&mut ask)?;
    let said = String::from_utf8_lossy(&said);
    let has_it = said.lines().any(|line| line.split(char::is_whitespace).next() == Some(KIND));
    ensure!(has_it, "{} completes the kind {KIND} by {said:?}", shell.name);
    Ok(())
}
