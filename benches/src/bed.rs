//! A fresh store for one measurement, with its URL, its files and the removal of what it leaves on
//! a server.

use crate::{engine, floor, store::StoreKind};
use anyhow::{Context, Result};
use queue::Storage;
use std::{
    env, process,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};
use tempfile::TempDir;

/// A fresh store; its files go when this is dropped.
pub(crate) struct Bed {
    pub(crate) kind: StoreKind,
    pub(crate) storage: Arc<dyn Storage>,
    /// Where other processes find the same store.
    pub(crate) url: String,
    /// Its schema or namespace on a server.
    pub(crate) name: String,
    pub(crate) files: Option<TempDir>,
}

impl Bed {
    pub(crate) async fn open(kind: StoreKind) -> Result<Self> {
        static BEDS: AtomicU32 = AtomicU32::new(0);
        let name = format!("bench_{}_{}", process::id(), BEDS.fetch_add(1, Ordering::Relaxed));
        // Beside the program, not in the system's temporary directory, which may live in memory.
        let files = if kind.has_files() { Some(tempfile::tempdir_in(".")?) } else { None };
        let path = files.as_ref().map(|files| files.path().display().to_string()).unwrap_or_default();
        let url = match kind {
            StoreKind::Memory => "memory:".to_owned(),
            StoreKind::File => format!("file:{path}/jobs"),
            StoreKind::SqliteFull => format!("sqlite:{path}/jobs.db"),
            StoreKind::SqliteNormal => format!("sqlite:{path}/jobs.db?synchronous=normal"),
            StoreKind::Postgres => with_query(&server(kind)?, &format!("schema={name}")),
            StoreKind::Redis | StoreKind::RedisAlways => {
                with_query(&server(kind)?, &format!("namespace={name}"))
            }
        };
        Ok(Self { kind, storage: queue::open(&url).await?, url, name, files })
    }

    /// Where its server is.
    pub(crate) fn server(&self) -> Result<String> {
        server(self.kind)
    }

    /// The path of a file beside the files of the store.
    pub(crate) fn beside(&self, name: &str) -> Result<std::path::PathBuf> {
        Ok(self.files.as_ref().context("this store has no files")?.path().join(name))
    }

    /// Leaves nothing behind on a server.
    pub(crate) async fn clear(self) -> Result<()> {
        match self.kind {
            StoreKind::Postgres => {
                self.storage.close().await?;
                engine::postgres::drop_schema(&self).await
            }
            StoreKind::Redis | StoreKind::RedisAlways => {
                self.prune().await?;
                floor::clear(&self).await?;
                Ok(self.storage.close().await?)
            }
            _ => Ok(self.storage.close().await?),
        }
    }

    async fn prune(&self) -> Result<()> {
        let everything = queue::queue_core::PruneRequest {
            queue: crate::scenario::queue(),
            what: queue::Prune::Everything,
            limit: 1000,
        };
        while self.storage.prune(everything.clone()).await? > 0 {}
        Ok(())
    }
}

/// Where the server of a store is.
pub(crate) fn server(kind: StoreKind) -> Result<String> {
    let variable = kind.variable().context("this store has no server")?;
    env::var(variable).with_context(|| format!("set {variable}"))
}

fn with_query(url: &str, query: &str) -> String {
    let separator = if url.contains('?') { '&' } else { '?' };
    format!("{url}{separator}{query}")
}
