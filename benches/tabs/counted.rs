//! A store as the dashboard uses it, with a count of the calls.

use queue::{
    Storage,
    queue_core::{QueueName, Result, StorageLayer},
};
use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

#[derive(Debug)]
pub(crate) struct CountedStore {
    store: Arc<dyn Storage>,
    calls: AtomicU64,
}

impl CountedStore {
    pub(crate) fn new(store: Arc<dyn Storage>) -> Self {
        Self { store, calls: AtomicU64::new(0) }
    }

    pub(crate) fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }
}

impl StorageLayer for CountedStore {
    type Inner = dyn Storage;

    fn inner(&self) -> &dyn Storage {
        &*self.store
    }

    fn around<T: Send>(
        &self,
        _verb: &'static str,
        _queue: Option<&QueueName>,
        call: impl Future<Output = Result<T>> + Send,
    ) -> impl Future<Output = Result<T>> + Send {
        self.calls.fetch_add(1, Ordering::Relaxed);
        call
    }
}
