//! How long programs are expected to run, in seconds, beside others on two processors. The longest
//! begin first, so that none of them is alone at the end. Nothing is wrong when one takes longer;
//! the table at the end of a run says what it took.

use std::time::Duration;

const SECONDS: &[(&str, u32)] = &[
    ("queue-postgres::conformance", 343),
    ("queue-fs::conformance_turns", 120),
    ("tests::e2e", 177),
    ("queue-remote::conformance_sqlite", 160),
    ("queue-postgres::it", 157),
    ("kv-store::conformance_redb", 149),
    ("queue-redis::conformance", 109),
    ("queue-sqlite::conformance", 92),
    ("examples of the docs", 90),
    ("queue-remote::conformance_memory", 82),
    ("queue-kv::conformance_memory", 81),
    ("queue-redis::cluster", 80),
    ("queue-fs::it", 80),
    ("queue-redis::it", 70),
    ("clients::python", 60),
    ("clients::node", 50),
    ("clients::kills", 60),
    ("dashboard in a browser", 40),
];

/// What is not listed is short, or new: it begins after the long ones and before what is known to
/// be shorter than this.
const UNKNOWN: u32 = 30;

/// A program that takes longer hangs: far more than a slow machine takes, and less than a person
/// would wait.
pub(super) fn patience(program: &str) -> Duration {
    Duration::from_secs(u64::from(600 + 4 * seconds(program)))
}

pub(super) fn seconds(program: &str) -> u32 {
    let known = SECONDS.iter().find(|(name, _)| *name == program);
    known.map_or(UNKNOWN, |(_, seconds)| *seconds)
}

#[cfg(test)]
mod tests {
    use super::{SECONDS, UNKNOWN, seconds};

    #[test]
    fn a_listed_program_is_long_and_another_is_not() {
        assert_eq!(seconds("no::such"), UNKNOWN);
        assert!(SECONDS.iter().all(|(name, listed)| seconds(name) == *listed && *listed > UNKNOWN));
    }
}
