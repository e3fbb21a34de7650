//! The store: each verb of the contract, handed to the merging layer or straight to the handle.

use crate::{
    client::Client,
    clock::RedisClock,
    error::unreachable,
    handle::HandleState,
    known_queues::KnownQueues,
    link::{Link, dial},
    options::RedisOptions,
    probe::probe,
    wakeup::Wakeup,
};
use async_trait::async_trait;
use queue_core::{
    Applied, Capabilities, ClaimRequest, Claimed, Counts, Detail, Durability, Duty, Enqueued, EventReach,
    EventStream, Finding, ImportRequest, Imported, Interest, JobAttempts, JobId, JobRecord, Kind, Limit,
    LimitScope, Limits, ListQuery, NewJob, Page, PartitionPage, PartitionQuery, Pause, PruneRequest,
    QueueName, QueuesPage, QueuesQuery, Reach, Result, SeriesEntry, SeriesPage, SeriesQuery, Stamped,
    Storage, WorkerId, WorkerInfo, lifecycle::Transition,
};
use queue_store::{BatchVerbs, Coalesced, CurrentRuntime};
use std::{sync::Arc, time::Duration};

/// A handle on the jobs in a Redis or Valkey server.
///
/// Any number of handles, processes and hosts may share a namespace. A handle has one connection
/// for calls, or one to each master of a Cluster, and one more for hints from the first
/// subscription on. Both are made again when they break.
///
/// Calls that several tasks make at the same time share a script, and each gets an answer of its
/// own; so one handle for all tasks is faster than one for each.
///
/// # Dropped futures
/// A verb that was sent runs on the server, whole or not at all, also if its future is dropped.
/// What a claim leases that is dropped is given back uncharged, if the runtime and the server last
/// long enough; else it lapses.
#[derive(Debug)]
pub struct RedisStorage {
    handle: Arc<HandleState>,
    merged: Coalesced<HandleState>,
    wakeup: Wakeup,
    durability: Durability,
    call_timeout: Duration,
}

impl RedisStorage {
    /// Connects, and looks whether the server is one that can keep jobs.
    ///
    /// Dropping the future leaves nothing behind.
    ///
    /// # Errors
    /// `Unavailable` if no server answers or if it is a replica, `Invalid` for a wrong login, for a
    /// certificate that is not accepted, or for a user that lacks rights, `Unsupported` for a
    /// version before Redis 7.0 or Valkey 8, for a namespace of another version of this library, or
    /// for a server that evicts keys, unless the options allow it.
    pub async fn open(options: RedisOptions) -> Result<Self> {
        let options = options.checked()?;
        let link = Link::new(&options).map_err(|error| unreachable("open", &options.endpoint, error))?;
        let durability = probe(&options, &link).await?;
        let clock = RedisClock::new(options.clock.clone());
        let handle = Arc::new(HandleState {
            client: Client::new(options.endpoint.clone(), link, options.replicas),
            queues: KnownQueues::new(options.namespace.clone(), options.spread(), &clock),
            clock,
            limits: Limits { gates: true, partitions: true, ..options.limits },
        });
        handle.check_layout().await?;
        handle.now("open").await?;
        let wakeup = Wakeup::new(dial(&options), handle.clone());
        let call_timeout = options.connect_timeout + options.response_timeout;
        let merged = Coalesced::new(handle.clone(), CurrentRuntime);
        Ok(Self { handle, merged, wakeup, durability, call_timeout })
    }
}

#[async_trait]
impl Storage for RedisStorage {
    fn capabilities(&self) -> Capabilities {
        Capabilities::new("redis", self.durability, Reach::Network)
            .with_events(EventReach::Store)
            .with_presence()
            .with_pause()
            .with_attempts()
            .with_gates()
            .with_partitions()
            .with_import()
            .with_series()
            .with_limits(self.handle.limits)
            .with_call_timeout(self.call_timeout)
    }

    /// Groups that together have more than 1,000 jobs or 16 MiB go in several scripts, each group
    /// in one.
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
        self.handle.list(query).await
    }

    async fn attempts(&self, queue: &QueueName, ids: &[JobId]) -> Result<Stamped<Vec<Option<JobAttempts>>>> {
        JobAttempts::check(ids)?;
        self.handle.attempts(queue, ids).await
    }

    async fn counts(&self, queue: &QueueName) -> Result<Counts> {
        self.handle.counts(queue).await
    }

    /// Each queue is counted in a script of its own, at a moment of its own.
    async fn queues(&self, query: QueuesQuery) -> Result<QueuesPage> {
        self.handle.page_of_queues(&query).await
    }

    /// Removes in scripts of bounded size; dropping the future between two of them leaves the rest
    /// in place.
    async fn prune(&self, request: PruneRequest) -> Result<u64> {
        self.handle.prune(request).await
    }

    /// Stores in scripts of at most 1,000 jobs.
    async fn import(&self, request: ImportRequest) -> Result<Stamped<Vec<Imported>>> {
        self.handle.import(request).await
    }

    async fn set_paused(&self, queue: &QueueName, kind: Option<&Kind>, pause: Pause) -> Result<()> {
        self.handle.set_paused(queue, kind, pause).await
    }

    /// Partitions beyond the first thousand are looked at in further scripts, by this call or by
    /// claims. The limits hold from the first one on.
    async fn set_limits(&self, queue: &QueueName, limits: Vec<(LimitScope, Option<Limit>)>) -> Result<()> {
        self.handle.set_limits(queue, limits).await
    }

    async fn limits(&self, queue: &QueueName) -> Result<Vec<(LimitScope, Limit)>> {
        self.handle.limits(queue).await
    }

    async fn partitions(&self, query: PartitionQuery) -> Result<PartitionPage> {
        self.handle.partitions(query).await
    }

    /// The first subscriber opens the connection for hints. Dropping the stream lets go of its
    /// channel within a minute.
    async fn subscribe(&self, queue: &QueueName, interest: Interest) -> Result<EventStream> {
        self.handle.client.check_open("subscribe")?;
        self.wakeup.subscribe(queue, interest).await
    }

    async fn announce(&self, worker: WorkerInfo, ttl: Duration) -> Result<Duty> {
        self.handle.announce(worker, ttl).await
    }

    async fn set_duty(&self, worker: &WorkerId, duty: Duty) -> Result<Option<Duty>> {
        self.handle.set_duty(worker, duty).await
    }

    async fn workers(&self) -> Result<Vec<WorkerInfo>> {
        self.handle.workers().await
    }

    /// Reads each queue in one script, which holds up the server: for tests and operators.
    async fn write_series(&self, entry: SeriesEntry, ttl: Duration) -> Result<()> {
        self.handle.write_series(entry, ttl).await
    }

    async fn read_series(&self, query: SeriesQuery) -> Result<Stamped<SeriesPage>> {
        self.handle.read_series(&query).await
    }

    async fn verify(&self) -> Result<Vec<String>> {
        self.handle.verify().await
    }

    /// Of a Cluster it looks at one master, that of the namespace's layout, and at the slots.
    async fn diagnose(&self) -> Result<Vec<Finding>> {
        self.handle.diagnose().await
    }

    async fn close(&self) -> Result<()> {
        self.wakeup.close().await;
        if self.handle.client.check_open("close").is_ok() {
            self.merged.rest().await;
            // A server that has ended keeps no handle from closing.
            drop(self.handle.leave_time().await);
        }
        self.handle.client.close();
        // Ends subscriptions that came meanwhile.
        self.wakeup.close().await;
        Ok(())
    }
}

impl BatchVerbs for HandleState {
    fn limits(&self) -> Limits {
        self.limits
    }

    async fn enqueue(
        &self,
        queue: &QueueName,
        groups: Vec<Vec<NewJob>>,
    ) -> Result<Stamped<Vec<Vec<Enqueued>>>> {
        self.enqueue(queue, groups).await
    }

    async fn claim(&self, requests: Vec<ClaimRequest>) -> Result<Vec<Claimed>> {
        self.claim(&requests).await
    }

    async fn apply(&self, batch: Vec<Transition>) -> Result<Stamped<Vec<Applied>>> {
        self.apply(batch).await
    }

    async fn get(
        &self,
        queue: &QueueName,
        ids: &[JobId],
        what: Detail,
    ) -> Result<Stamped<Vec<Option<JobRecord>>>> {
        self.get(queue, ids, what).await
    }
}
