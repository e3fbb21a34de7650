//! A store whose calls a storm counts.

use super::Storm;
use async_trait::async_trait;
use queue_core::{
    Applied, ClaimRequest, Claimed, Detail, Enqueued, JobId, JobRecord, NewJob, PruneRequest, QueueName,
    Result, Stamped, Storage, StorageLayer, lifecycle::Transition,
};
use queue_postgres::PostgresStorage;
use std::sync::Arc;

/// A store whose calls are counted by a storm.
#[derive(Debug)]
pub(super) struct Stormy {
    pub(super) store: PostgresStorage,
    pub(super) storm: Arc<Storm>,
}

#[async_trait]
impl StorageLayer for Stormy {
    type Inner = PostgresStorage;

    fn inner(&self) -> &PostgresStorage {
        &self.store
    }

    async fn enqueue(
        &self,
        queue: &QueueName,
        groups: Vec<Vec<NewJob>>,
    ) -> Result<Stamped<Vec<Vec<Enqueued>>>> {
        self.storm.pass(&self.store).await;
        self.store.enqueue(queue, groups).await
    }

    async fn claim(&self, request: ClaimRequest) -> Result<Claimed> {
        self.storm.pass(&self.store).await;
        self.store.claim(request).await
    }

    async fn apply(&self, batch: Vec<Transition>) -> Result<Stamped<Vec<Applied>>> {
        self.storm.pass(&self.store).await;
        self.store.apply(batch).await
    }

    async fn get(
        &self,
        queue: &QueueName,
        ids: &[JobId],
        what: Detail,
    ) -> Result<Stamped<Vec<Option<JobRecord>>>> {
        self.storm.pass(&self.store).await;
        self.store.get(queue, ids, what).await
    }

    async fn prune(&self, request: PruneRequest) -> Result<u64> {
        self.storm.pass(&self.store).await;
        self.store.prune(request).await
    }
}
