//! Programs that repeat the suite on another way to a store whose own program runs all of it. A run
//! of everything does a third of each. Which third goes with the commit: the same commit is always
//! tried in the same way, and the commits of a day are tried in all of them.

use crate::command;
use crate::repo::Repo;
use std::process::Command;

/// What the test kit asks for its part.
const SHARD: &str = "QUEUE_TESTKIT_SHARD";
const SHARDS: usize = 3;

const REPEATING: [&str; 4] = [
    "kv-store::conformance_redb",
    "queue-fs::conformance_turns",
    "queue-remote::conformance_postgres",
    "queue-remote::conformance_sqlite",
];

/// The variable that makes a program run its part, if it is one of them.
pub(super) fn part(program: &str, commit: &str) -> Option<(&'static str, String)> {
    REPEATING.contains(&program).then(|| (SHARD, shard_of(commit)))
}

/// Its name; none where git does not tell, such as in an unpacked archive.
pub(super) fn commit(repo: &Repo) -> String {
    let mut head = Command::new("git");
    head.current_dir(repo.root()).args(["rev-parse", "HEAD"]);
    String::from_utf8_lossy(&command::output(&mut head).unwrap_or_default()).trim().to_owned()
}

fn shard_of(commit: &str) -> String {
    let start = commit.get(..8).and_then(|start| usize::from_str_radix(start, 16).ok()).unwrap_or(0);
    format!("{}/{SHARDS}", start % SHARDS + 1)
}

#[cfg(test)]
mod tests {
    use super::{part, shard_of};

    #[test]
    fn a_commit_always_has_the_same_shard_and_others_have_others() {
        let of = |commit: &str| shard_of(commit);
        let shards = ["00000000ff", "00000001ff", "00000002ff", "00000003ff"].map(of);
        assert_eq!(shards, ["1/3", "2/3", "3/3", "1/3"]);
        assert_eq!(of(""), "1/3", "there is no git");
    }

    #[test]
    fn a_store_whose_own_program_it_is_runs_all() {
        assert!(part("queue-fs::conformance", "").is_none());
        assert!(part("queue-fs::conformance_turns", "").is_some());
    }
}
