//! One program: run, or left alone for a reason.

use std::fmt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result};

use super::page::{Page, Program};
use super::project::Project;
use super::server;

/// A program that has not ended by then never will.
const PATIENCE: Duration = Duration::from_mins(1);

/// A program under a name that no other page's has.
pub(super) struct Runnable {
    pub(super) name: String,
    pub(super) text: String,
    no_run: bool,
}

/// What came of it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Ran {
    Passed,
    /// Compiled alone.
    Left(&'static str),
    Failed(String),
}

/// What came of all.
#[derive(Default)]
pub(super) struct Tally {
    passed: usize,
    left: usize,
    failed: usize,
}

impl Runnable {
    pub(super) fn of(page: &Page, program: &Program) -> Self {
        let name = format!("{}_{}", slug(&page.path), program.number);
        Self { name, text: program.text.clone(), no_run: program.no_run }
    }
}

/// A path as a name.
pub(super) fn slug(path: &str) -> String {
    path.trim_end_matches(".md")
        .chars()
        .map(|c| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '_' })
        .collect()
}

/// Runs a program that was compiled, in a directory that is gone afterwards.
pub(super) fn run(built: &Path, program: &Runnable) -> Result<Ran> {
    let needed = server::needed(&program.text);
    let address = needed.and_then(|variable| server::environment(variable, &program.name));
    match (needed, &address) {
        (Some(variable), None) => return Ok(Ran::Left(variable)),
        (None, _) if program.no_run => return Ok(Ran::Left("it never ends, or needs what its reader has")),
        _ => {}
    }
    let empty = tempfile::tempdir().context("no directory for the program")?;
    let mut command = Command::new("timeout");
    command.arg(PATIENCE.as_secs().to_string()).arg(built).current_dir(empty.path()).stdin(Stdio::null());
    let output =
        command.envs(address).output().with_context(|| format!("cannot start {}", built.display()))?;
    if output.status.success() {
        return Ok(Ran::Passed);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Ok(Ran::Failed(format!("ended with {}: {}", output.status, said.trim())))
}

impl Tally {
    pub(super) fn compiled(&mut self, project: &Project<'_>, run: impl Fn(&Runnable) -> Ran) {
        for program in &project.programs {
            self.add(&program.name, &run(program));
        }
    }

    pub(super) fn add(&mut self, name: &str, ran: &Ran) {
        println!("  {name}: {ran}");
        match ran {
            Ran::Passed => self.passed += 1,
            Ran::Left(_) => self.left += 1,
            Ran::Failed(_) => self.failed += 1,
        }
    }

    pub(super) fn failed(&self) -> usize {
        self.failed
    }
}

impl fmt::Display for Ran {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Passed => f.write_str("compiled and run"),
            Self::Left(why) => write!(f, "compiled, not run: {why}"),
            Self::Failed(why) => write!(f, "FAILED: {why}"),
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { passed, left, failed } = self;
        write!(f, "programs: {passed} run, {left} compiled alone, {failed} failed")
    }
}

#[cfg(test)]
mod tests {
    use super::{Ran, Runnable, run, slug};
    use std::path::Path;

    fn program(text: &str, no_run: bool) -> Runnable {
        Runnable { name: "p".to_owned(), text: text.to_owned(), no_run }
    }

    #[test]
    fn a_program_that_ends_badly_fails_and_one_that_must_not_be_run_is_left() {
        let ran = |path: &str, no_run| run(Path::new(path), &program("", no_run)).expect("it can be started");
        assert_eq!(ran("true", false), Ran::Passed);
        assert!(matches!(ran("false", false), Ran::Failed(_)));
        assert!(matches!(ran("false", true), Ran::Left(_)));
    }

    #[test]
    fn paths_become_names() {
        assert_eq!(slug("docs/GETTING-STARTED.md"), "docs_getting_started");
    }
}
