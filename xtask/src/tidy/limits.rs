//! How many stilted words the comments of each crate may have; see [`words`](mod@super::words).
//! These numbers only go down: a crate that has fewer lowers its limit in the same commit. What is
//! not listed has none.

pub(super) const LIMITS: &[(&str, usize)] = &[
    ("benches", 0),
    ("examples", 0),
    ("queue", 0),
    ("queue-cli", 0),
    ("queue-core", 0),
    ("queue-fs", 0),
    ("queue-http", 0),
    ("queue-kv", 0),
    ("queue-memory", 0),
    ("queue-postgres", 0),
    ("queue-redis", 0),
    ("queue-remote", 0),
    ("queue-schedule", 0),
    ("queue-serde", 0),
    ("queue-service", 0),
    ("queue-sqlite", 0),
    ("queue-store", 0),
    ("queue-telemetry", 0),
    ("queue-testkit", 0),
    ("queue-view", 0),
    ("queue-web", 0),
    ("queue-worker", 0),
    ("tests", 0),
    ("xtask", 0),
];
