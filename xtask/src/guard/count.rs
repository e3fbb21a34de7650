//! One subject in one process, and what callgrind counts in it.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::command;
use crate::repo::Repo;

/// The function that counting starts and ends with, however the compiler spells it.
const SECTION: &str = "*counted_section*";

/// The program whose work is counted.
pub(super) struct Counter {
    program: PathBuf,
    folder: tempfile::TempDir,
}

impl Counter {
    /// Builds with optimisation, as it is shipped.
    pub(super) fn build(repo: &Repo) -> Result<Self> {
        let build = ["build", "--quiet", "--release", "-p", "queue-guard"];
        command::run(&mut command::cargo(repo, &build))?;
        let folder = tempfile::tempdir().context("no temporary folder")?;
        Ok(Self { program: repo.target().join("release/queue-guard"), folder })
    }

    pub(super) fn subjects(&self) -> Result<Vec<String>> {
        let names = String::from_utf8(command::output(&mut Command::new(&self.program))?)?;
        let names: Vec<String> = names.lines().map(str::to_owned).collect();
        ensure!(!names.is_empty(), "there is nothing to count");
        Ok(names)
    }

    /// Instructions of one subject, of which a ninth may be done twice.
    pub(super) fn count(&self, subject: &str, is_planted: bool) -> Result<u64> {
        let out = self.folder.path().join(subject);
        let mut valgrind = Command::new("valgrind");
        valgrind.args(["--quiet", "--tool=callgrind", "--collect-atstart=no"]);
        valgrind.arg(format!("--toggle-collect={SECTION}"));
        valgrind.arg(format!("--callgrind-out-file={}", out.display()));
        valgrind.arg(&self.program).arg(subject).args(is_planted.then_some("--planted"));
        command::run(&mut valgrind)?;
        let text = fs::read_to_string(&out).context("callgrind wrote nothing")?;
        total(&text).with_context(|| format!("nothing of {subject} was counted"))
    }
}

/// Nothing counted means that the section was not found, which must not look like no work.
fn total(callgrind: &str) -> Option<u64> {
    let line = callgrind.lines().find_map(|line| line.strip_prefix("totals:"))?;
    line.trim().parse().ok().filter(|&count| count > 0)
}

#[cfg(test)]
mod tests {
    use super::total;

    #[test]
    fn the_total_is_found() {
        assert_eq!(total("version: 1\nevents: Ir\nfn=x\n1 2\ntotals: 1234\n"), Some(1234));
    }

    #[test]
    fn a_count_of_nothing_is_none() {
        assert_eq!(total("totals: 0\n"), None);
        assert_eq!(total("events: Ir\n"), None);
    }
}
