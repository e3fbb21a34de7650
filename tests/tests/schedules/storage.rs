//! The stores, and the layer that kills a process at one of its calls.

use crate::shared_clock::SharedClock;
use async_trait::async_trait;
use queue::{
    FsOptions, FsStorage, Result, SqliteOptions, SqliteStorage, Storage,
    queue_core::{
        Applied, ClaimRequest, Claimed, Detail, JobId, JobRecord, QueueName, Stamped, StorageLayer,
        lifecycle::Transition,
    },
};
use rustix::process::{Signal, getpid, kill_process};
use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

pub(crate) fn is_on_files(store: &str) -> bool {
    store == "sqlite:" || store == "file:"
}

/// A name for this run alone, since servers outlive it.
pub(crate) fn queue_name(place: &Path) -> String {
    place.file_name().expect("a directory has a name").to_string_lossy().into_owned()
}

pub(crate) async fn open(store: &str, place: &Path, clock: Option<Arc<SharedClock>>) -> Arc<dyn Storage> {
    let clock = || clock.clone().expect("stores on files have the shared clock");
    match store {
        "sqlite:" => {
            let options = SqliteOptions::new(place.join("jobs.db")).clock(clock());
            Arc::new(SqliteStorage::open(options).await.expect("it opens"))
        }
        "file:" => {
            let options = FsOptions::new(place.join("jobs")).clock(clock());
            Arc::new(FsStorage::open(options).await.expect("it opens"))
        }
        url => queue::open(url).await.expect("the server answers"),
    }
}

/// Kills its own process before or after one of the calls of a tick.
#[derive(Debug)]
pub(crate) struct Dying {
    store: Arc<dyn Storage>,
    /// The number of steps left to live.
    left: AtomicU64,
}

impl Dying {
    pub(crate) fn new(store: Arc<dyn Storage>, steps: u64) -> Self {
        Self { store, left: AtomicU64::new(steps) }
    }

    fn step(&self) {
        if self.left.fetch_sub(1, Ordering::SeqCst) == 1 {
            kill_process(getpid(), Signal::KILL).expect("a process may kill itself");
        }
    }
}

#[async_trait]
impl StorageLayer for Dying {
    type Inner = dyn Storage;

    fn inner(&self) -> &dyn Storage {
        &*self.store
    }

    async fn claim(&self, request: ClaimRequest) -> Result<Claimed> {
        self.step();
        let claimed = self.store.claim(request).await?;
        // An empty claim is not a step of a tick: it may be repeated freely.
        if claimed.jobs.is_empty() {
            self.left.fetch_add(1, Ordering::SeqCst);
        } else {
            self.step();
        }
        Ok(claimed)
    }

    async fn get(
        &self,
        queue: &QueueName,
        ids: &[JobId],
        what: Detail,
    ) -> Result<Stamped<Vec<Option<JobRecord>>>> {
        self.step();
        let read = self.store.get(queue, ids, what).await;
        self.step();
        read
    }

    async fn apply(&self, batch: Vec<Transition>) -> Result<Stamped<Vec<Applied>>> {
        self.step();
        let applied = self.store.apply(batch).await;
        self.step();
        applied
    }
}
