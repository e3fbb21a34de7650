//! A store as the dashboard uses it, with a count of the calls.

use async_trait::async_trait;
use queue::{
    Storage,
    queue_core::{
        Counts, Detail, JobAttempts, JobId, JobRecord, ListQuery, Page, QueueName, QueuesPage, QueuesQuery,
        Result, SeriesPage, SeriesQuery, Stamped, StorageLayer, WorkerInfo,
    },
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

    fn count(&self) {
        self.calls.fetch_add(1, Ordering::Relaxed);
    }
}

#[async_trait]
impl StorageLayer for CountedStore {
    type Inner = dyn Storage;

    fn inner(&self) -> &dyn Storage {
        &*self.store
    }

    async fn get(
        &self,
        queue: &QueueName,
        ids: &[JobId],
        what: Detail,
    ) -> Result<Stamped<Vec<Option<JobRecord>>>> {
        self.count();
        self.store.get(queue, ids, what).await
    }

    async fn list(&self, query: ListQuery) -> Result<Page> {
        self.count();
        self.store.list(query).await
    }

    async fn attempts(&self, queue: &QueueName, ids: &[JobId]) -> Result<Stamped<Vec<Option<JobAttempts>>>> {
        self.count();
        self.store.attempts(queue, ids).await
    }

    async fn queues(&self, query: QueuesQuery) -> Result<QueuesPage> {
        self.count();
        self.store.queues(query).await
    }

    async fn workers(&self) -> Result<Vec<WorkerInfo>> {
        self.count();
        self.store.workers().await
    }

    async fn read_series(&self, query: SeriesQuery) -> Result<Stamped<SeriesPage>> {
        self.count();
        self.store.read_series(query).await
    }

    async fn counts(&self, queue: &QueueName) -> Result<Counts> {
        self.count();
        self.store.counts(queue).await
    }
}
