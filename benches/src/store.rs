use anyhow::{Context, Result};
use queue::Storage;
use serde::Serialize;
use std::{
    env, fmt, process,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};
use tempfile::TempDir;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum StoreKind {
    Memory,
    File,
    SqliteFull,
    SqliteNormal,
    Postgres,
    Redis,
}

/// A fresh store; its files go when this is dropped.
pub(crate) struct Bed {
    pub(crate) kind: StoreKind,
    pub(crate) storage: Arc<dyn Storage>,
    pub(crate) url: String,
    pub(crate) files: Option<TempDir>,
}

impl StoreKind {
    pub(crate) fn variable(self) -> Option<&'static str> {
        match self {
            Self::Postgres => Some("QUEUE_TEST_POSTGRES_URL"),
            Self::Redis => Some("QUEUE_TEST_REDIS_URL"),
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

    fn server(self) -> Result<String> {
        let variable = self.variable().context("this store has no server")?;
        env::var(variable).with_context(|| format!("set {variable}"))
    }
}

impl Bed {
    pub(crate) async fn open(kind: StoreKind) -> Result<Self> {
        static BEDS: AtomicU32 = AtomicU32::new(0);
        // A memory store with a name of its own is one that its worker can open by URL as well.
        let name = format!("bench_{}_{}", process::id(), BEDS.fetch_add(1, Ordering::Relaxed));
        // Beside the program, not in the system's temporary directory, which may live in memory.
        let files = match kind {
            StoreKind::SqliteFull | StoreKind::SqliteNormal | StoreKind::File => {
                Some(tempfile::tempdir_in(".")?)
            }
            _ => None,
        };
        let path = files.as_ref().map(|files| files.path().display().to_string()).unwrap_or_default();
        let with = |url: String, query: String| {
            let separator = if url.contains('?') { '&' } else { '?' };
            format!("{url}{separator}{query}")
        };
        let url = match kind {
            StoreKind::Memory => "memory:".to_owned(),
            StoreKind::File => format!("file:{path}/jobs"),
            StoreKind::SqliteFull => format!("sqlite:{path}/jobs.db"),
            StoreKind::SqliteNormal => format!("sqlite:{path}/jobs.db?synchronous=normal"),
            StoreKind::Postgres => with(kind.server()?, format!("schema={name}")),
            StoreKind::Redis => with(kind.server()?, format!("namespace={name}")),
        };
        Ok(Self { kind, storage: queue::open(&url).await?, url, files })
    }

    /// Leaves nothing behind on a server.
    pub(crate) async fn clear(self) -> Result<()> {
        if self.kind.variable().is_some() {
            let everything = queue::queue_core::PruneRequest {
                queue: crate::scenario::queue(),
                what: queue::Prune::Everything,
                limit: 1000,
            };
            while self.storage.prune(everything.clone()).await? > 0 {}
        }
        Ok(self.storage.close().await?)
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
            Self::Redis => "Redis",
        })
    }
}
