use crate::{
    connect::connect,
    options::PostgresOptions,
    shared::Shared,
    verbs::{
        Announce, Apply, Claim, CountJobs, DrainWorker, Enqueue, EnqueueNew, Get, List, ListQueues,
        ListWorkers, PruneSome, ReadAttempts, SetPaused, Verify,
    },
    wakeup::Wakeups,
};
use async_trait::async_trait;
use queue_core::{
    Applied, Capabilities, ClaimRequest, Claimed, Counts, Detail, Duty, Enqueued, EventReach, EventStream,
    Interest, JobAttempts, JobId, JobRecord, Limits, ListQuery, NewJob, Page, PruneRequest, QueueName,
    QueuesPage, QueuesQuery, Reach, Result, Span, Stamped, Storage, WorkerId, WorkerInfo,
    lifecycle::Transition,
};
use queue_store::{Batched, Coalesced, CurrentRuntime};
use std::{any::Any, sync::Arc, time::Duration};

/// How often a prune tries again to remove jobs that were all on their way from one table to another.
const PRUNES_IN_VAIN_MAX: usize = 16;

/// A handle on the jobs in one schema of a PostgreSQL database.
///
/// Any number of handles, processes and hosts may share the schema. The handle owns connections for calls, others for
/// heartbeats, and one more that listens, once somebody subscribes.
///
/// Calls that several tasks make at the same time share a statement and a commit, and each gets an answer of its own; so one
/// handle for all tasks is faster than one for each.
///
/// # Dropped futures
/// A verb whose future is dropped is done whole or not at all, and nobody knows which. A claim that is dropped goes on, and what it
/// leases is given back uncharged, if the runtime and the server last long enough; else it lapses.
#[derive(Debug)]
pub struct PostgresStorage {
    pub(crate) shared: Arc<Shared>,
    wakeups: Wakeups,
    merged: Coalesced<Shared>,
}

impl PostgresStorage {
    /// Connects, and brings the tables up to date if the options say so.
    ///
    /// Dropping the future leaves the tables as they were, or up to date.
    ///
    /// # Errors
    /// `Invalid` for a URL, user or database that cannot be used, `Unsupported` for a server or tables of another
    /// version, `Unavailable` for a server that cannot be reached or is read-only.
    pub async fn open(options: PostgresOptions) -> Result<Self> {
        let server = connect(&options).await?;
        let shared = Arc::new(Shared::new(options, server));
        let merged = Coalesced::new(shared.clone(), CurrentRuntime);
        Ok(Self { wakeups: Wakeups::new(shared.clone()), merged, shared })
    }
}

#[async_trait]
impl Storage for PostgresStorage {
    fn capabilities(&self) -> Capabilities {
        let is_listening = self.shared.options.is_listening();
        Capabilities::new("postgres", self.shared.server.durability, Reach::Network)
            .with_events(if is_listening { EventReach::Store } else { EventReach::None })
            .with_presence()
            .with_pause()
            .with_queues()
            .with_attempts()
            .with_limits(self.shared.options.limits)
            .with_call_timeout(
                self.shared.options.acquire_timeout.saturating_add(self.shared.options.call_timeout),
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
        self.shared.call(&List::new(&query)?).await
    }

    async fn attempts(&self, queue: &QueueName, id: &JobId) -> Result<Stamped<Option<JobAttempts>>> {
        self.shared.call(&ReadAttempts { queue, id }).await
    }

    async fn counts(&self, queue: &QueueName) -> Result<Counts> {
        self.shared.call(&CountJobs(queue)).await
    }

    async fn queues(&self, query: QueuesQuery) -> Result<QueuesPage> {
        self.shared.call(&ListQueues(&query)).await
    }

    /// Removes in transactions of bounded size; dropping the future between two of them leaves the rest in place.
    async fn prune(&self, request: PruneRequest) -> Result<u64> {
        self.shared.check_open("prune")?;
        let (mut removed, mut in_vain) = (0, 0);
        while removed < request.limit && in_vain < PRUNES_IN_VAIN_MAX {
            let limit = PruneSome::MAX.min(request.limit - removed);
            let batch =
                self.shared.call(&PruneSome { queue: &request.queue, what: request.what, limit }).await?;
            removed += batch.removed;
            in_vain = if batch.removed == 0 { in_vain + 1 } else { 0 };
            if batch.is_all {
                break;
            }
        }
        Ok(removed as u64)
    }

    async fn set_paused(&self, queue: &QueueName, paused: bool) -> Result<()> {
        self.shared.call(&SetPaused { queue, paused }).await
    }

    /// The first subscriber opens the connection that listens.
    async fn subscribe(&self, queue: &QueueName, interest: Interest) -> Result<EventStream> {
        self.shared.check_open("subscribe")?;
        self.wakeups.subscribe(queue, interest).await
    }

    async fn announce(&self, worker: WorkerInfo, ttl: Duration) -> Result<Duty> {
        worker.check()?;
        let ttl = Span::new("presence ttl", ttl)?;
        self.shared.call(&Announce { worker: &worker, ttl }).await
    }

    async fn drain_worker(&self, worker: &WorkerId) -> Result<bool> {
        self.shared.call(&DrainWorker(worker)).await
    }

    async fn workers(&self) -> Result<Vec<WorkerInfo>> {
        self.shared.call(&ListWorkers).await
    }

    async fn verify(&self) -> Result<Vec<String>> {
        self.shared.call(&Verify).await
    }

    async fn close(&self) -> Result<()> {
        self.merged.rest().await;
        self.shared.close();
        self.shared.hub.close();
        self.wakeups.close().await;
        self.shared.server.pools.close().await;
        Ok(())
    }
}

impl Batched for Shared {
    fn limits(&self) -> Limits {
        self.options.limits
    }

    async fn enqueue(
        &self,
        queue: &QueueName,
        groups: Vec<Vec<NewJob>>,
    ) -> Result<Stamped<Vec<Vec<Enqueued>>>> {
        if let Some(new) = EnqueueNew::of(queue, &groups)
            && let Some(enqueued) = self.call(&new).await?
        {
            return Ok(enqueued);
        }
        self.call(&Enqueue { queue, groups: &groups }).await
    }

    /// Answers the first alone: claims go side by side, each in a statement of its own.
    async fn claim(&self, requests: Vec<ClaimRequest>) -> Result<Vec<Claimed>> {
        let Some(first) = requests.first() else { return Ok(Vec::new()) };
        Ok(vec![self.call(&Claim(first)).await?])
    }

    async fn apply(&self, batch: Vec<Transition>) -> Result<Stamped<Vec<Applied>>> {
        self.call(&Apply(&batch)).await
    }

    async fn get(
        &self,
        queue: &QueueName,
        ids: &[JobId],
        what: Detail,
    ) -> Result<Stamped<Vec<Option<JobRecord>>>> {
        self.call(&Get { queue, ids, what }).await
    }
}
