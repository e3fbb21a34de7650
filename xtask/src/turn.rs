//! Tests that take turns: those that rarely find what the others do not, and cost much. A usual
//! run does a third of each. Which third goes with the commit: the same commit is always tried in
//! the same way, and the commits of a day are tried in all of them. `verify --all` does the whole.

use std::fmt;
use std::process::Command;

use crate::command;
use crate::repo::Repo;

const TURNS: usize = 3;

/// The third of a run, shown as the test kit reads it: `2/3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Turn {
    number: usize,
}

impl Turn {
    /// That of the commit that is checked out; the first where git does not tell, such as in an
    /// unpacked archive.
    pub(crate) fn of(repo: &Repo) -> Self {
        let mut head = Command::new("git");
        head.current_dir(repo.root()).args(["rev-parse", "HEAD"]);
        Self::of_commit(String::from_utf8_lossy(&command::output(&mut head).unwrap_or_default()).trim())
    }

    fn of_commit(commit: &str) -> Self {
        let start = commit.get(..8).and_then(|start| usize::from_str_radix(start, 16).ok()).unwrap_or(0);
        Self { number: start % TURNS }
    }
}

impl fmt::Display for Turn {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{TURNS}", self.number + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::Turn;

    #[test]
    fn a_commit_always_has_the_same_turn_and_others_have_others() {
        let of = |commit: &str| Turn::of_commit(commit).to_string();
        let turns = ["00000000ff", "00000001ff", "00000002ff", "00000003ff"].map(of);
        assert_eq!(turns, ["1/3", "2/3", "3/3", "1/3"]);
        assert_eq!(of(""), "1/3", "there is no git");
    }
}
