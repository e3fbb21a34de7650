//! Who is measured, and on which stores.

use std::fmt;
use std::iter;

use serde::{Deserialize, Serialize};

/// Where the jobs are.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Store {
    Memory,
    Files,
    Sqlite,
    Postgres,
    Redis,
}

impl Store {
    pub(crate) const ALL: [Self; 5] = [Self::Memory, Self::Files, Self::Sqlite, Self::Postgres, Self::Redis];

    /// As the peers' command line has it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Files => "files",
            Self::Sqlite => "sqlite",
            Self::Postgres => "postgres",
            Self::Redis => "redis",
        }
    }

    /// As pages have it.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Memory => "Memory",
            Self::Files => "Files",
            Self::Sqlite => "SQLite",
            Self::Postgres => "Postgres",
            Self::Redis => "Redis",
        }
    }
}

impl fmt::Display for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How a peer is built and started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    /// A crate of its own in the folder of the peer's name.
    Rust,
    /// A script of that name in the folder `node`.
    Node(&'static str),
}

pub(crate) struct Peer {
    pub(crate) name: &'static str,
    pub(crate) language: Language,
    /// The package whose version is shown.
    pub(crate) package: &'static str,
    pub(crate) stores: &'static [Store],
    /// As many jobs as a drain may have; nothing for one that grows with the speed of the peer.
    pub(crate) drain_max: Option<u64>,
}

/// The name of this project among them.
pub(crate) const OURS: &str = "ours";

/// This project first, then the others in the order in which the page shows them.
pub(crate) const PEERS: &[Peer] = &[
    rust(OURS, "queue-jobs", &Store::ALL),
    rust("bullmq-rs", "bullmq-official", &[Store::Redis]),
    // Its worker moves all waiting jobs by one call of Lua, which takes no more than 8,000 values.
    rust("apalis-redis", "apalis-redis", &[Store::Redis]).drains_at_most(7500),
    rust("rusty-sidekiq", "rusty-sidekiq", &[Store::Redis]),
    rust("apalis-postgres", "apalis-postgres", &[Store::Postgres]),
    rust("awa", "awa", &[Store::Postgres]),
    rust("fang", "fang", &[Store::Postgres]),
    rust("graphile-worker-rs", "graphile_worker", &[Store::Postgres]),
    rust("river", "riverqueue", &[Store::Postgres, Store::Sqlite]),
    rust("sqlxmq", "sqlxmq", &[Store::Postgres]),
    rust("underway", "underway", &[Store::Postgres]),
    rust("apalis-sqlite", "apalis-sqlite", &[Store::Sqlite]),
    rust("effectum", "effectum", &[Store::Sqlite]),
    node("bullmq", "bullmq", &[Store::Redis]),
    node("graphile-worker", "graphile-worker", &[Store::Postgres]),
    node("pg-boss", "pg-boss", &[Store::Postgres]),
    node("platformatic", "@platformatic/job-queue", &[Store::Memory, Store::Redis]),
    // A thousand jobs take seconds here.
    of_platformatic("platformatic-files", &[Store::Files]),
    of_platformatic("platformatic-postgres", &[Store::Postgres]),
];

/// What the engines do without a queue: measured in turn with the peers, and none of them. Memory
/// has no engine.
pub(crate) const FLOOR: &Peer =
    &rust("floor", "peer-floor", &[Store::Files, Store::Sqlite, Store::Postgres, Store::Redis]);

/// All that is measured: the peers, then the floor.
pub(crate) fn entrants() -> impl Iterator<Item = &'static Peer> {
    PEERS.iter().chain(iter::once(FLOOR))
}

const fn rust(name: &'static str, package: &'static str, stores: &'static [Store]) -> Peer {
    Peer { name, language: Language::Rust, package, stores, drain_max: None }
}

const fn node(name: &'static str, package: &'static str, stores: &'static [Store]) -> Peer {
    Peer { name, language: Language::Node(name), package, stores, drain_max: None }
}

const fn of_platformatic(name: &'static str, stores: &'static [Store]) -> Peer {
    let language = Language::Node("platformatic");
    Peer { name, language, package: "@platformatic/job-queue", stores, drain_max: Some(1000) }
}

impl Peer {
    const fn drains_at_most(self, jobs: u64) -> Self {
        Self { drain_max: Some(jobs), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::{FLOOR, Language, OURS, PEERS, Store, entrants};
    use crate::root;

    #[test]
    fn each_peer_and_the_floor_have_their_program() {
        let folder = root().join("benches/peers");
        for peer in entrants() {
            let file = match peer.language {
                Language::Rust => folder.join(peer.name).join("src/main.rs"),
                Language::Node(script) => folder.join("node").join(format!("{script}.mjs")),
            };
            assert!(file.is_file(), "{}", file.display());
        }
    }

    #[test]
    fn the_floor_is_no_peer() {
        assert!(PEERS.iter().all(|peer| peer.name != FLOOR.name));
        assert!(!FLOOR.stores.contains(&Store::Memory));
    }

    #[test]
    fn every_store_is_measured_with_ours_and_a_peer() {
        assert_eq!(PEERS[0].name, OURS);
        for store in Store::ALL {
            assert!(PEERS[0].stores.contains(&store), "{store}");
            assert!(PEERS[1..].iter().any(|peer| peer.stores.contains(&store)), "{store}");
        }
    }
}
