//! The store: each verb of the contract, handed to the merging layer or straight to the server.

use crate::{
    contract::{
        Announce, Attempts, Count, Diagnose, Import, List, ListLimits, ListPartitions, ListQueues,
        ListWorkers, ReadSeries, Remove, SetDuty, SetLimits, SetPaused, Verify, WriteSeries,
    },
    handle::RemoteHandle,
    hints::Listeners,
    options::RemoteOptions,
};
use async_trait::async_trait;
use queue_core::{
    Applied, Capabilities, ClaimRequest, Claimed, Counts, Detail, Duty, Enqueued, EventStream, Finding,
    ImportRequest, Imported, Interest, JobAttempts, JobId, JobRecord, Kind, Limit, LimitScope, ListQuery,
    NewJob, Page, PartitionPage, PartitionQuery, Pause, PruneRequest, QueueName, QueuesPage, QueuesQuery,
    Result, SeriesEntry, SeriesPage, SeriesQuery, Stamped, Storage, WorkerId, WorkerInfo,
    lifecycle::Transition,
};
use queue_store::{Coalesced, CurrentRuntime};
use std::{any::Any, sync::Arc, time::Duration};

/// A handle on the jobs of a store behind a server.
///
/// Any number of handles, processes and hosts may share a server, and several servers a store. A
/// handle has a connection for each call that is under way, and keeps those that are idle for some
/// seconds; and one for each queue and kind of hint that has a subscriber.
///
/// # Runtime
/// A handle may be used on several runtimes. Each has connections of its own, so one that stands
/// still holds up its own calls alone. With a runtime go its connections, its calls under way, and
/// its streams of hints.
///
/// Calls that several tasks make at the same time share a request, and each gets an answer of its
/// own; so one handle for all tasks is faster than one for each.
///
/// # Dropped futures
/// A merged verb that was sent runs on the server also if its future is dropped, and what a dropped
/// claim leases is given back uncharged, if the runtime and the server last long enough; else it
/// lapses. Another verb closes its connection, which the server takes as a dropped future of its
/// own.
#[derive(Debug)]
pub struct RemoteStorage {
    handle: Arc<RemoteHandle>,
    merged: Coalesced<RemoteHandle>,
    listeners: Listeners,
}

impl RemoteStorage {
    /// Asks the server what its store is, and whether it is of the same build.
    ///
    /// Dropping the future leaves nothing behind.
    ///
    /// # Errors
    /// `Unavailable` if no server answers, `Invalid` for a token or certificate that is not
    /// accepted, or if no store is served at that URL, and `Unsupported` with a
    /// [`ContractMismatch`](crate::ContractMismatch) as its source for a server of another build.
    pub async fn open(options: RemoteOptions) -> Result<Self> {
        let handle = Arc::new(RemoteHandle::open(options).await?);
        let merged = Coalesced::new(handle.clone(), CurrentRuntime);
        let listeners = Listeners::new(handle.clone());
        Ok(Self { handle, merged, listeners })
    }

    /// The name of the store behind the server, such as `sqlite`, for people.
    pub fn store_name(&self) -> &str {
        &self.handle.opened.name
    }
}

#[deny(clippy::missing_trait_methods, reason = "a new verb must not be forgotten")]
#[async_trait]
impl Storage for RemoteStorage {
    fn capabilities(&self) -> Capabilities {
        self.handle.opened.capabilities(self.handle.silence)
    }

    fn concrete(&self) -> Option<&dyn Any> {
        None
    }

    async fn enqueue(
        &self,
        queue: &QueueName,
        groups: Vec<Vec<NewJob>>,
    ) -> Result<Stamped<Vec<Vec<Enqueued>>>> {
        self.merged.enqueue(queue, groups).await
    }

    async fn claim(&self, request: ClaimRequest) -> Result<Claimed> {
        self.merged.claim_apart(request).await
    }

    async fn apply(&self, batch: Vec<Transition>) -> Result<Stamped<Vec<Applied>>> {
        self.merged.apply(batch).await
    }

    async fn get(
        &self,
        queue: &QueueName,
        ids: &[JobId],
        what: Detail,
    ) -> Result<Stamped<Vec<Option<JobRecord>>>> {
        self.merged.get(queue, ids, what).await
    }

    async fn list(&self, query: ListQuery) -> Result<Page> {
        self.handle.call::<List>(&query).await
    }

    async fn attempts(&self, queue: &QueueName, ids: &[JobId]) -> Result<Stamped<Vec<Option<JobAttempts>>>> {
        self.handle.call::<Attempts>(&(queue.clone(), ids.to_vec())).await
    }

    async fn counts(&self, queue: &QueueName) -> Result<Counts> {
        self.handle.call::<Count>(queue).await
    }

    async fn queues(&self, query: QueuesQuery) -> Result<QueuesPage> {
        self.handle.call::<ListQueues>(&query).await
    }

    async fn prune(&self, request: PruneRequest) -> Result<u64> {
        self.handle.call::<Remove>(&request).await
    }

    async fn import(&self, request: ImportRequest) -> Result<Stamped<Vec<Imported>>> {
        // What is too large is refused here, before it travels.
        request.check(&self.handle.opened.limits)?;
        self.handle.call::<Import>(&request).await
    }

    async fn set_paused(&self, queue: &QueueName, kind: Option<&Kind>, pause: Pause) -> Result<()> {
        self.handle.call::<SetPaused>(&((queue.clone(), kind.cloned()), pause)).await
    }

    async fn set_limits(&self, queue: &QueueName, limits: Vec<(LimitScope, Option<Limit>)>) -> Result<()> {
        self.handle.opened.limits.check_partitions("set_limits")?;
        self.handle.call::<SetLimits>(&(queue.clone(), limits)).await
    }

    async fn limits(&self, queue: &QueueName) -> Result<Vec<(LimitScope, Limit)>> {
        self.handle.call::<ListLimits>(queue).await
    }

    async fn partitions(&self, query: PartitionQuery) -> Result<PartitionPage> {
        self.handle.call::<ListPartitions>(&query).await
    }

    async fn subscribe(&self, queue: &QueueName, interest: Interest) -> Result<EventStream> {
        self.listeners.subscribe(queue, interest).await
    }

    async fn announce(&self, worker: WorkerInfo, ttl: Duration) -> Result<Duty> {
        worker.check()?;
        self.handle.call::<Announce>(&(worker, ttl)).await
    }

    async fn set_duty(&self, worker: &WorkerId, duty: Duty) -> Result<Option<Duty>> {
        self.handle.call::<SetDuty>(&(worker.clone(), duty)).await
    }

    async fn workers(&self) -> Result<Vec<WorkerInfo>> {
        self.handle.call::<ListWorkers>(&()).await
    }

    async fn write_series(&self, entry: SeriesEntry, ttl: Duration) -> Result<()> {
        entry.check()?;
        self.handle.call::<WriteSeries>(&(entry, ttl)).await
    }

    async fn read_series(&self, query: SeriesQuery) -> Result<Stamped<SeriesPage>> {
        self.handle.call::<ReadSeries>(&query).await
    }

    async fn verify(&self) -> Result<Vec<String>> {
        self.handle.call_at_length::<Verify>(&()).await
    }

    async fn diagnose(&self) -> Result<Vec<Finding>> {
        self.handle.call::<Diagnose>(&()).await
    }

    async fn close(&self) -> Result<()> {
        self.merged.rest().await;
        self.handle.close();
        self.listeners.close().await;
        Ok(())
    }
}
