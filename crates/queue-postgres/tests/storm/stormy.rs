use super::Storm;
use async_trait::async_trait;
use queue_core::{
    Applied, Capabilities, ClaimRequest, Claimed, Counts, Detail, Enqueued, EventStream, Interest, JobId,
    JobRecord, ListQuery, NewJob, Page, PruneRequest, QueueName, Result, Stamped, Storage, WorkerInfo,
    lifecycle::Transition,
};
use queue_postgres::PostgresStorage;
use std::{sync::Arc, time::Duration};

/// A store whose calls are counted by a storm.
#[derive(Debug)]
pub(super) struct Stormy {
    pub(super) store: PostgresStorage,
    pub(super) storm: Arc<Storm>,
}

#[async_trait]
impl Storage for Stormy {
    fn capabilities(&self) -> Capabilities {
        self.store.capabilities()
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

    async fn exchange(
        &self,
        batch: Vec<Transition>,
        request: ClaimRequest,
    ) -> Result<(Stamped<Vec<Applied>>, Claimed)> {
        self.storm.pass(&self.store).await;
        self.store.exchange(batch, request).await
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

    async fn list(&self, query: ListQuery) -> Result<Page> {
        self.store.list(query).await
    }

    async fn counts(&self, queue: &QueueName) -> Result<Counts> {
        self.store.counts(queue).await
    }

    async fn prune(&self, request: PruneRequest) -> Result<u64> {
        self.storm.pass(&self.store).await;
        self.store.prune(request).await
    }

    async fn set_paused(&self, queue: &QueueName, paused: bool) -> Result<()> {
        self.store.set_paused(queue, paused).await
    }

    async fn subscribe(&self, queue: &QueueName, interest: Interest) -> Result<EventStream> {
        self.store.subscribe(queue, interest).await
    }

    async fn announce(&self, worker: WorkerInfo, ttl: Duration) -> Result<()> {
        self.store.announce(worker, ttl).await
    }

    async fn workers(&self) -> Result<Vec<WorkerInfo>> {
        self.store.workers().await
    }

    async fn verify(&self) -> Result<Vec<String>> {
        self.store.verify().await
    }

    async fn close(&self) -> Result<()> {
        self.store.close().await
    }
}
