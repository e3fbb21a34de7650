use crate::spawn::owned;
use queue_core::{Coalesced, Spawn, Storage};
use std::{future::Future, pin::Pin, sync::Arc};

/// A store behind a network, where calls of many tasks are to share round trips and commits.
pub(super) fn coalesced(store: impl Storage) -> Arc<dyn Storage> {
    Arc::new(Coalesced::new(Arc::new(store), &Lanes))
}

/// Starts the tasks of the coalescing lanes, which end with the store.
#[derive(Debug)]
struct Lanes;

impl Spawn for Lanes {
    fn spawn(&self, task: Pin<Box<dyn Future<Output = ()> + Send>>) {
        owned(task);
    }
}
