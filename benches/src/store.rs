use queue_core::Storage;
use queue_memory::MemoryStorage;
use queue_sqlite::{SqliteOptions, SqliteStorage, Synchronous};
use serde::Serialize;
use std::{fmt, sync::Arc};
use tempfile::TempDir;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum StoreKind {
    Memory,
    SqliteFull,
    SqliteNormal,
}

/// A fresh store; its files go when this is dropped.
pub(crate) struct OpenStore {
    pub(crate) storage: Arc<dyn Storage>,
    _files: Option<TempDir>,
}

pub(crate) async fn open(kind: StoreKind) -> anyhow::Result<OpenStore> {
    let synchronous = match kind {
        StoreKind::Memory => return Ok(OpenStore { storage: Arc::new(MemoryStorage::new()), _files: None }),
        StoreKind::SqliteFull => Synchronous::Full,
        StoreKind::SqliteNormal => Synchronous::Normal,
    };
    // Beside the program, not in the system's temporary directory, which may live in memory.
    let files = tempfile::tempdir_in(".")?;
    let options = SqliteOptions::new(files.path().join("bench.db")).synchronous(synchronous);
    Ok(OpenStore { storage: Arc::new(SqliteStorage::open(options).await?), _files: Some(files) })
}

impl fmt::Display for StoreKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Memory => "memory",
            Self::SqliteFull => "sqlite, FULL",
            Self::SqliteNormal => "sqlite, NORMAL",
        })
    }
}
