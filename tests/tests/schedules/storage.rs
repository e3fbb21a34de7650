//! The stores, and the one that kills a process at one of its calls.

use crate::shared_clock::SharedClock;
use queue::{FsOptions, FsStorage, SqliteOptions, SqliteStorage, Storage};
use queue_testkit::fault::{DyingStore, StorageVerb};
use rustix::process::{Signal, getpid, kill_process};
use std::{path::Path, sync::Arc};

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

/// Kills its own process at one of the steps of a tick.
pub(crate) fn dying(store: Arc<dyn Storage>, steps: u64) -> Arc<DyingStore> {
    let kill = || kill_process(getpid(), Signal::KILL).expect("a process may kill itself");
    let verbs = &[StorageVerb::Claim, StorageVerb::Get, StorageVerb::Apply];
    Arc::new(DyingStore::new(store, verbs, steps - 1, kill))
}
