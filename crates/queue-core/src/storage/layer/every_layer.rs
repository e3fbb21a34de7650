//! Every layer is a store.

use crate::{
    Applied, Capabilities, ClaimRequest, Claimed, Counts, Detail, Duty, Enqueued, EventStream, Finding,
    ImportRequest, Imported, Interest, JobAttempts, JobId, JobRecord, Kind, Limit, LimitScope, ListQuery,
    NewJob, Page, PartitionPage, PartitionQuery, Pause, PruneRequest, QueueName, QueuesPage, QueuesQuery,
    Result, SeriesEntry, SeriesPage, SeriesQuery, Stamped, Storage, StorageLayer, WorkerId, WorkerInfo,
    lifecycle::Transition,
};
use async_trait::async_trait;
use std::{any::Any, time::Duration};

#[deny(clippy::missing_trait_methods, reason = "a new verb must not be forgotten")]
#[async_trait]
impl<L: StorageLayer> Storage for L {
    fn capabilities(&self) -> Capabilities {
        StorageLayer::capabilities(self)
    }

    fn concrete(&self) -> Option<&dyn Any> {
        StorageLayer::concrete(self)
    }

    async fn enqueue(
        &self,
        queue: &QueueName,
        groups: Vec<Vec<NewJob>>,
    ) -> Result<Stamped<Vec<Vec<Enqueued>>>> {
        StorageLayer::enqueue(self, queue, groups).await
    }

    async fn claim(&self, request: ClaimRequest) -> Result<Claimed> {
        StorageLayer::claim(self, request).await
    }

    async fn apply(&self, batch: Vec<Transition>) -> Result<Stamped<Vec<Applied>>> {
        StorageLayer::apply(self, batch).await
    }

    async fn get(
        &self,
        queue: &QueueName,
        ids: &[JobId],
        what: Detail,
    ) -> Result<Stamped<Vec<Option<JobRecord>>>> {
        StorageLayer::get(self, queue, ids, what).await
    }

    async fn list(&self, query: ListQuery) -> Result<Page> {
        StorageLayer::list(self, query).await
    }

    async fn attempts(&self, queue: &QueueName, ids: &[JobId]) -> Result<Stamped<Vec<Option<JobAttempts>>>> {
        StorageLayer::attempts(self, queue, ids).await
    }

    async fn counts(&self, queue: &QueueName) -> Result<Counts> {
        StorageLayer::counts(self, queue).await
    }

    async fn queues(&self, query: QueuesQuery) -> Result<QueuesPage> {
        StorageLayer::queues(self, query).await
    }

    async fn prune(&self, request: PruneRequest) -> Result<u64> {
        StorageLayer::prune(self, request).await
    }

    async fn import(&self, request: ImportRequest) -> Result<Stamped<Vec<Imported>>> {
        StorageLayer::import(self, request).await
    }

    async fn set_paused(&self, queue: &QueueName, kind: Option<&Kind>, pause: Pause) -> Result<()> {
        StorageLayer::set_paused(self, queue, kind, pause).await
    }

    async fn set_limits(&self, queue: &QueueName, limits: Vec<(LimitScope, Option<Limit>)>) -> Result<()> {
        StorageLayer::set_limits(self, queue, limits).await
    }

    async fn limits(&self, queue: &QueueName) -> Result<Vec<(LimitScope, Limit)>> {
        StorageLayer::limits(self, queue).await
    }

    async fn partitions(&self, query: PartitionQuery) -> Result<PartitionPage> {
        StorageLayer::partitions(self, query).await
    }

    async fn subscribe(&self, queue: &QueueName, interest: Interest) -> Result<EventStream> {
        StorageLayer::subscribe(self, queue, interest).await
    }

    async fn announce(&self, worker: WorkerInfo, ttl: Duration) -> Result<Duty> {
        StorageLayer::announce(self, worker, ttl).await
    }

    async fn set_duty(&self, worker: &WorkerId, duty: Duty) -> Result<Option<Duty>> {
        StorageLayer::set_duty(self, worker, duty).await
    }

    async fn workers(&self) -> Result<Vec<WorkerInfo>> {
        StorageLayer::workers(self).await
    }

    async fn write_series(&self, entry: SeriesEntry, ttl: Duration) -> Result<()> {
        StorageLayer::write_series(self, entry, ttl).await
    }

    async fn read_series(&self, query: SeriesQuery) -> Result<Stamped<SeriesPage>> {
        StorageLayer::read_series(self, query).await
    }

    async fn verify(&self) -> Result<Vec<String>> {
        StorageLayer::verify(self).await
    }

    async fn diagnose(&self) -> Result<Vec<Finding>> {
        StorageLayer::diagnose(self).await
    }

    async fn close(&self) -> Result<()> {
        StorageLayer::close(self).await
    }
}
