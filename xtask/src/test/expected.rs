//! How long programs are expected to run, in seconds, beside others on two processors. The longest begin
//! first, so that none of them is alone at the end. Nothing is wrong when one takes longer; the table at the
//! end of a run says what it took.

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

/// What is not listed is short, or new: it begins after the long ones and before what is known to be shorter
/// than this.
const UNKNOWN: u32 = 30;

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
