//! One subject in one process, and the instructions that callgrind counts in it.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::command;
use crate::repo::Repo;

/// The function in which callgrind counts, however the compiler mangles its name.
const SECTION: &str = "*counted_section*";

/// The program whose work is counted.
pub(super) struct Counter {
    program: PathBuf,
    folder: tempfile::TempDir,
}

impl Counter {
    /// Builds the program with optimization, as it ships.
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

    /// The instructions of one subject, a ninth of which may be done twice.
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

/// A count of nothing means that the section was not found, which must not look like no work.
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
