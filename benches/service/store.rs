//! The stores below the service.

use crate::load::Load;
use std::{env, fmt, path::Path};

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ServedStore {
    Memory,
    Sqlite,
    Files,
    Postgres,
    Redis,
}

impl ServedStore {
    pub(crate) const ALL: [Self; 5] = [Self::Memory, Self::Sqlite, Self::Files, Self::Postgres, Self::Redis];

    pub(crate) fn is_reachable(self) -> bool {
        self.variable().is_none_or(|variable| env::var(variable).is_ok())
    }

    fn variable(self) -> Option<&'static str> {
        match self {
            Self::Postgres => Some("QUEUE_TEST_POSTGRES_URL"),
            Self::Redis => Some("QUEUE_TEST_REDIS_URL"),
            _ => None,
        }
    }

    /// How many jobs are stored before a measurement of work: about as many as it can do.
    pub(crate) const fn preload(self, load: Load) -> usize {
        let scale = match self {
            Self::Memory => 8,
            Self::Sqlite | Self::Files => 3,
            Self::Postgres | Self::Redis => 1,
        };
        match load {
            Load::WorkMany => 40_000 * scale,
            Load::WorkOne => 15_000 * scale,
            Load::EnqueueOne | Load::EnqueueMany => 0,
        }
    }

    /// The URL of a store in this folder, or of the server.
    pub(crate) fn url(self, folder: &Path) -> String {
        match (self, self.variable()) {
            (_, Some(variable)) => env::var(variable).unwrap_or_default(),
            (Self::Sqlite, None) => format!("sqlite:{}", folder.join("jobs.db").display()),
            (Self::Files, None) => format!("file:{}", folder.join("jobs").display()),
            (_, None) => "memory:".to_owned(),
        }
    }
}

impl fmt::Display for ServedStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Memory => "memory",
            Self::Sqlite => "SQLite, FULL",
            Self::Files => "files, Sync",
            Self::Postgres => "Postgres",
            Self::Redis => "Redis, always",
        })
    }
}
