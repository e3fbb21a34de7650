//! The stores that are measured, each with its settings of durability.

use serde::{Deserialize, Serialize};
use std::{env, fmt};

/// A store with its settings of durability.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, clap::ValueEnum,
)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum StoreKind {
    Memory,
    File,
    SqliteFull,
    SqliteNormal,
    Postgres,
    /// A server that keeps nothing.
    Redis,
    /// A server that flushes each write before it answers.
    RedisAlways,
}

impl StoreKind {
    pub(crate) fn variable(self) -> Option<&'static str> {
        match self {
            Self::Postgres => Some("QUEUE_TEST_POSTGRES_URL"),
            Self::Redis | Self::RedisAlways => Some("QUEUE_TEST_REDIS_URL"),
            _ => None,
        }
    }

    pub(crate) fn is_reachable(self) -> bool {
        self.variable().is_none_or(|variable| env::var(variable).is_ok())
    }

    /// Whether several processes can share it.
    pub(crate) fn is_shared(self) -> bool {
        self != Self::Memory
    }

    /// Whether it keeps its jobs in files of this program's own.
    pub(crate) fn has_files(self) -> bool {
        matches!(self, Self::File | Self::SqliteFull | Self::SqliteNormal)
    }

    /// As `--store` and the file of its results name it.
    pub(crate) fn name(self) -> String {
        let value = clap::ValueEnum::to_possible_value(&self).expect("no store is hidden");
        value.get_name().to_owned()
    }
}

impl fmt::Display for StoreKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Memory => "memory",
            Self::File => "files, Sync",
            Self::SqliteFull => "SQLite, FULL",
            Self::SqliteNormal => "SQLite, NORMAL",
            Self::Postgres => "Postgres",
            Self::Redis => "Redis, not kept",
            Self::RedisAlways => "Redis, always",
        })
    }
}
