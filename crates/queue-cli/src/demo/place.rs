//! The store, the queue and the temporary directory in which one demo runs.

use crate::{exit::CliError, opener::Opener};
use queue::{
    IdSource, Queue, Storage, TimeOrderedIds,
    queue_core::{Prune, PruneRequest, Reach},
};
use serde_json::Value;
use std::{path::PathBuf, sync::Arc};
use tempfile::TempDir;

/// Most records removed in one call.
const PRUNE_MAX: usize = 5000;

/// The store, the queue and the directory of one demo.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) url: String,
    pub(super) jobs: Queue<Value, String>,
    storage: Arc<dyn Storage>,
    directory: TempDir,
}

impl Place {
    /// A file in a temporary directory, unless a store is given.
    pub(super) async fn open(store: Option<&str>, opener: &Opener) -> Result<Self, CliError> {
        let directory = tempfile::Builder::new().prefix("queue-demo-").tempdir()?;
        let url = store.map_or_else(|| sqlite_in(&directory), |given| Ok(given.to_owned()))?;
        let storage = opener.open(&url).await?;
        if storage.capabilities().reach == Reach::Process {
            let name = storage.capabilities().name;
            return Err(CliError::invalid(format!(
                "the demo runs several processes, and the store {name:?} exists inside one only; omit --store to use a file"
            )));
        }
        // A queue of its own: two demos on one store do not meet.
        let name = format!("demo-{}", TimeOrderedIds::default().next_id());
        Ok(Self { url, jobs: Queue::new(storage.clone(), name)?, storage, directory })
    }

    /// The log of a worker.
    pub(super) fn log(&self, worker: usize) -> PathBuf {
        self.directory.path().join(format!("worker-{worker}.log"))
    }

    /// What a worker complains about.
    pub(super) fn complaints(&self, worker: usize) -> PathBuf {
        self.directory.path().join(format!("worker-{worker}.err"))
    }

    /// Leaves nothing behind: the queue is emptied, and the directory goes when this is dropped.
    pub(super) async fn clean(&self) -> Result<(), CliError> {
        loop {
            let request =
                PruneRequest { queue: self.jobs.name().clone(), what: Prune::Everything, limit: PRUNE_MAX };
            if self.storage.prune(request).await? < PRUNE_MAX as u64 {
                break;
            }
        }
        Ok(self.storage.close().await?)
    }
}

fn sqlite_in(directory: &TempDir) -> Result<String, CliError> {
    let path = directory.path().join("demo.db");
    let path =
        path.to_str().ok_or_else(|| CliError::invalid("the temporary directory is not UTF-8; set TMPDIR"))?;
    Ok(format!("sqlite:{}", path.replace('%', "%25").replace('?', "%3F")))
}
