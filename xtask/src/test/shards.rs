//! Programs that repeat the suite on another way to a store whose own program runs all of it: a
//! usual run does a third of each.

use crate::turn::Turn;

/// What the test kit asks for its part.
const SHARD: &str = "QUEUE_TESTKIT_SHARD";

const REPEATING: [&str; 6] = [
    "kv-store::conformance_redb",
    "queue-fs::conformance_turns",
    "queue-redis::cluster",
    "queue-remote::conformance_postgres",
    "queue-remote::conformance_sqlite",
    "queue-telemetry::conformance",
];

/// The variable that makes a program run its part, if it is one of them.
pub(super) fn part(program: &str, turn: Turn) -> Option<(&'static str, String)> {
    REPEATING.contains(&program).then(|| (SHARD, turn.to_string()))
}

#[cfg(test)]
mod tests {
    use super::part;
    use crate::repo::Repo;
    use crate::turn::Turn;

    #[test]
    fn a_store_whose_own_program_it_is_runs_all() {
        let turn = Turn::of(&Repo::find());
        assert!(part("queue-fs::conformance", turn).is_none());
        assert_eq!(part("queue-fs::conformance_turns", turn), Some((super::SHARD, turn.to_string())));
    }
}
