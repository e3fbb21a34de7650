//! The store: each verb of the contract, handed to the merging layer or straight to a call.

use crate::{
    batched::BatchedCalls,
    call::call,
    handle::HandleState,
    open::open,
    options::PostgresOptions,
    verbs::{
        PostgresAnnounce, PostgresCountJobs, PostgresDiagnose, PostgresImport, PostgresList,
        PostgresListPartitions, PostgresListQueues, PostgresListWorkers, PostgresPruneSome,
        PostgresReadAttempts, PostgresReadLimits, PostgresReadSeries, PostgresSetDuty, PostgresSetKindPaused,
        PostgresSetLimits, PostgresSetPaused, PostgresVerify, PostgresWriteSeries,
    },
    wakeup::Wakeups,
};
use async_trait::async_trait;
use queue_core::{
    Applied, Capabilities, ClaimRequest, Claimed, Counts, Detail, Duty, Enqueued, EventReach, EventStream,
    Finding, ImportRequest, Imported, Interest, JobAttempts, JobId, JobRecord, Kind, Limit, LimitScope,
    ListQuery, NewJob, Page, PartitionPage, PartitionQuery, Pause, PruneRequest, QueueName, QueuesPage,
    QueuesQuery, Reach, Result, SeriesEntry, SeriesPage, SeriesQuery, Span, Stamped, Storage, WorkerId,
    WorkerInfo, lifecycle::Transition,
};
use queue_store::{Coalesced, CurrentRuntime};
use std::{any::Any, sync::Arc, time::Duration};

/// How often a prune tries again to remove jobs that were all on their way from one table to
/// another.
const PRUNES_IN_VAIN_MAX: usize = 16;

/// A handle on the jobs in one schema of a PostgreSQL database.
///
/// Any number of handles, processes and hosts may share the schema. For each runtime that calls it
/// the handle owns connections for calls, others for heartbeats, and one more that listens, once
/// there is a subscription.
///
/// Calls that several tasks make at the same time share a statement and a commit, and each gets an
/// answer of its own; so one handle for all tasks is faster than one for each.
///
/// # Dropped futures
/// A verb whose future is dropped is done whole or not at all, and which of them is unknown. A
/// claim that is dropped goes on, and what it leases is given back uncharged, if the runtime and
/// the server last long enough; else it lapses.
#[derive(Debug)]
pub struct PostgresStorage {
    pub(crate) handle: Arc<HandleState>,
    wakeups: Wakeups,
    merged: Coalesced<BatchedCalls>,
}

impl PostgresStorage {
    /// Connects, and brings the tables up to date if the options say so.
    ///
    /// Dropping the future leaves the tables as they were, or up to date.
    ///
    /// # Errors
    /// `Invalid` for a URL, user or database that cannot be used, `Unsupported` for a server or
    /// tables of another version, `Unavailable` for a server that cannot be reached or is
    /// read-only.
    pub async fn open(options: PostgresOptions) -> Result<Self> {
        let handle = Arc::new(open(options).await?);
        let merged = Coalesced::new(Arc::new(BatchedCalls(handle.clone())), CurrentRuntime);
        Ok(Self { wakeups: Wakeups::new(handle.clone()), merged, handle })
    }
}

#[async_trait]
impl Storage for PostgresStorage {
    fn capabilities(&self) -> Capabilities {
        let is_listening = self.handle.options.is_listening();
        Capabilities::new("postgres", self.handle.durability, Reach::Network)
            .with_events(if is_listening { EventReach::Store } else { EventReach::None })
            .with_presence()
            .with_pause()
            .with_attempts()
            .with_import()
            .with_series()
            .with_limits(self.handle.options.limits)
            .with_gates()
            .with_partitions()
            .with_call_timeout(
                self.handle.options.acquire_timeout.saturating_add(self.handle.options.call_timeout),
            )
    }

    fn concrete(&self) -> Option<&dyn Any> {
        Some(self)
    }

    async fn enqueue(
        &self,
        queue: &QueueName,
        groups: Vec<Vec<NewJob>>,
    ) -> Result<Stamped<Vec<Vec<Enqueued>>>> {
        self.merged.enqueue(queue, groups).await
    }

    async fn claim(&self, request: ClaimRequest) -> Result<Claimed> {
        self.merged.claim(request).await
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
        call(&self.handle, &PostgresList::new(&query)?).await
    }

    async fn attempts(&self, queue: &QueueName, ids: &[JobId]) -> Result<Stamped<Vec<Option<JobAttempts>>>> {
        JobAttempts::check(ids)?;
        call(&self.handle, &PostgresReadAttempts { queue, ids }).await
    }

    async fn counts(&self, queue: &QueueName) -> Result<Counts> {
        call(&self.handle, &PostgresCountJobs(queue)).await
    }

    async fn queues(&self, query: QueuesQuery) -> Result<QueuesPage> {
        call(&self.handle, &PostgresListQueues(&query)).await
    }

    /// Removes in transactions of bounded size; dropping the future between two of them leaves the
    /// rest in place.
    async fn prune(&self, request: PruneRequest) -> Result<u64> {
        self.handle.check_open("prune")?;
        let mut removed = 0;
        let mut in_vain = 0;
        while removed < request.limit && in_vain < PRUNES_IN_VAIN_MAX {
            let limit = PostgresPruneSome::MAX.min(request.limit - removed);
            let batch =
                call(&self.handle, &PostgresPruneSome { queue: &request.queue, what: request.what, limit })
                    .await?;
            removed += batch.removed;
            in_vain = if batch.removed == 0 { in_vain + 1 } else { 0 };
            if batch.is_all {
                break;
            }
        }
        Ok(removed as u64)
    }

    async fn import(&self, request: ImportRequest) -> Result<Stamped<Vec<Imported>>> {
        request.check(&self.handle.options.limits)?;
        call(&self.handle, &PostgresImport(&request)).await
    }

    async fn set_paused(&self, queue: &QueueName, kind: Option<&Kind>, pause: Pause) -> Result<()> {
        match kind {
            None => call(&self.handle, &PostgresSetPaused { queue, pause }).await,
            Some(kind) => call(&self.handle, &PostgresSetKindPaused { queue, kind, pause }).await?,
        }
    }

    async fn set_limits(&self, queue: &QueueName, limits: Vec<(LimitScope, Option<Limit>)>) -> Result<()> {
        call(&self.handle, &PostgresSetLimits::checked(queue, limits)?).await?
    }

    async fn limits(&self, queue: &QueueName) -> Result<Vec<(LimitScope, Limit)>> {
        call(&self.handle, &PostgresReadLimits(queue)).await
    }

    async fn partitions(&self, query: PartitionQuery) -> Result<PartitionPage> {
        call(&self.handle, &PostgresListPartitions(&query)).await
    }

    /// The first subscriber opens the connection that listens.
    async fn subscribe(&self, queue: &QueueName, interest: Interest) -> Result<EventStream> {
        self.handle.check_open("subscribe")?;
        self.wakeups.subscribe(queue, interest).await
    }

    async fn announce(&self, worker: WorkerInfo, ttl: Duration) -> Result<Duty> {
        worker.check()?;
        let ttl = Span::new("presence ttl", ttl)?;
        call(&self.handle, &PostgresAnnounce { worker: &worker, ttl }).await
    }

    async fn set_duty(&self, worker: &WorkerId, duty: Duty) -> Result<Option<Duty>> {
        call(&self.handle, &PostgresSetDuty { worker, duty }).await
    }

    async fn workers(&self) -> Result<Vec<WorkerInfo>> {
        call(&self.handle, &PostgresListWorkers).await
    }

    async fn write_series(&self, entry: SeriesEntry, ttl: Duration) -> Result<()> {
        entry.check()?;
        let ttl = Span::new("series ttl", ttl)?;
        call(&self.handle, &PostgresWriteSeries { entry: &entry, ttl }).await
    }

    async fn read_series(&self, query: SeriesQuery) -> Result<Stamped<SeriesPage>> {
        call(&self.handle, &PostgresReadSeries(&query)).await
    }

    async fn verify(&self) -> Result<Vec<String>> {
        call(&self.handle, &PostgresVerify).await
    }

    async fn diagnose(&self) -> Result<Vec<Finding>> {
        call(&self.handle, &PostgresDiagnose { listener: self.wakeups.listener_state() }).await
    }

    /// Waits for what this runtime has under way, and for no other, which may stand still.
    async fn close(&self) -> Result<()> {
        self.merged.rest().await;
        self.handle.close();
        self.handle.hubs.close().iter().for_each(|runtime| runtime.hub.close());
        self.wakeups.close().await;
        self.handle.pools.close().await;
        Ok(())
    }
}
