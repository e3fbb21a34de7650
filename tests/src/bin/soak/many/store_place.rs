//! Stores of each kind that are empty and belong to one run.

use crate::failed::Failed;
use clap::ValueEnum;
use queue::Storage;
use std::{
    env, fmt, fs,
    path::Path,
    process,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
};
use tempfile::TempDir;

/// The kinds of store, in the order in which a growing application meets them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StoreKind {
    Memory,
    Files,
    Sqlite,
    Postgres,
    Redis,
}

/// An empty store of one kind. Dropping it removes its files; servers keep what they have.
#[derive(Debug)]
pub(crate) struct StorePlace {
    pub(crate) kind: StoreKind,
    pub(crate) url: String,
    directory: Option<TempDir>,
}

impl StorePlace {
    /// A new store. Those on servers need `QUEUE_TEST_POSTGRES_URL` or `QUEUE_TEST_REDIS_URL`.
    pub(crate) fn fresh(kind: StoreKind) -> Result<Self, Failed> {
        static MADE: AtomicUsize = AtomicUsize::new(0);
        let name = format!("soak_{}_{}", process::id(), MADE.fetch_add(1, SeqCst));
        let directory =
            matches!(kind, StoreKind::Files | StoreKind::Sqlite).then(TempDir::new).transpose()?;
        let inside = directory.as_ref().map(|directory| directory.path().join("store"));
        let inside = inside.map(|path| path.display().to_string()).unwrap_or_default();
        let url = match kind {
            StoreKind::Memory => format!("memory:{name}"),
            StoreKind::Files => format!("file:{inside}"),
            StoreKind::Sqlite => format!("sqlite:{inside}.db"),
            StoreKind::Postgres => on_server("QUEUE_TEST_POSTGRES_URL", "schema", &name)?,
            StoreKind::Redis => on_server("QUEUE_TEST_REDIS_URL", "namespace", &name)?,
        };
        Ok(Self { kind, url, directory })
    }

    /// A handle of the store; memory is one store in this process.
    pub(crate) async fn open(&self) -> Result<Arc<dyn Storage>, Failed> {
        Ok(queue::open(&self.url).await?)
    }

    /// The bytes of its files; `None` in memory and on servers.
    pub(crate) fn file_bytes(&self) -> Option<u64> {
        self.directory.as_ref().map(|directory| bytes_below(directory.path()))
    }
}

impl StoreKind {
    /// Whether another process can open it.
    pub(crate) fn is_shared(self) -> bool {
        self != Self::Memory
    }
}

impl fmt::Display for StoreKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.to_possible_value().expect("no kind is skipped");
        f.pad(value.get_name())
    }
}

fn on_server(variable: &str, part: &str, name: &str) -> Result<String, Failed> {
    let url = env::var(variable).map_err(|_| format!("{variable} names no server"))?;
    let mark = if url.contains('?') { '&' } else { '?' };
    Ok(format!("{url}{mark}{part}={name}"))
}

/// A file that goes meanwhile counts nothing.
fn bytes_below(directory: &Path) -> u64 {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let sizes = entries.map(|entry| match entry.metadata() {
        Ok(found) if found.is_dir() => bytes_below(&entry.path()),
        Ok(found) => found.len(),
        Err(_) => 0,
    });
    sizes.sum()
}
