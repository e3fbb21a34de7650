//! A wrapper around any store that injects faults into its calls.

use crate::fault::{Fault, FaultCounts, FaultPlan, StorageVerb, hints::FaultyHints, injector::Injector};
use async_trait::async_trait;
use queue_core::{
    Applied, Capabilities, ClaimRequest, Claimed, Counts, Detail, Duty, Enqueued, Error, ErrorKind,
    EventStream, Finding, ImportRequest, Imported, Interest, JobAttempts, JobId, JobRecord, Kind, Limit,
    LimitScope, ListQuery, NewJob, Page, PartitionPage, PartitionQuery, Pause, PruneRequest, QueueName,
    QueuesPage, QueuesQuery, Result, SeriesEntry, SeriesPage, SeriesQuery, Stamped, Storage, WorkerId,
    WorkerInfo, lifecycle::Transition,
};
use std::{any::Any, sync::Arc, time::Duration};

/// A store with faults between it and its caller.
///
/// Dropping the future of a verb leaves what it would leave without the wrapper; a call that is
/// held back has not been sent.
#[derive(Debug)]
pub struct FaultStore<S: ?Sized> {
    injector: Arc<Injector>,
    store: Arc<S>,
}

impl<S: Storage + ?Sized> FaultStore<S> {
    /// Wraps a handle.
    pub fn new(store: Arc<S>, plan: FaultPlan) -> Self {
        Self { injector: Arc::new(Injector::new(plan)), store }
    }

    /// Scripts the next calls of a verb. The script follows calls that are scripted already, and
    /// takes precedence over the plan.
    pub fn next(&self, verb: StorageVerb, calls: usize, fault: &Fault) {
        self.injector.next(verb, calls, fault);
    }

    /// Ends the plan and the script: calls from now on go through, unless a new script names them.
    /// Calls that are held back stay held back.
    pub fn heal(&self) {
        self.injector.heal();
    }

    /// The faults that were injected so far.
    pub fn tally(&self) -> FaultCounts {
        self.injector.tally()
    }

    async fn call<T, F>(&self, verb: StorageVerb, send: impl Fn() -> F + Send + Sync) -> Result<T>
    where
        T: Send,
        F: Future<Output = Result<T>> + Send,
    {
        match self.injector.draw(verb) {
            None => return send().await,
            Some(Fault::Refuse) => return Err(failure(verb, "the connection was refused")),
            Some(Fault::LoseRequest) => return Err(failure(verb, "the request was lost").unknown()),
            Some(Fault::LoseReply) => {
                drop(send().await);
                return Err(failure(verb, "the reply was lost").unknown());
            }
            Some(Fault::Duplicate) => {
                let first = send().await;
                drop(send().await);
                return first;
            }
            Some(Fault::Delay(delay)) => tokio::time::sleep(delay).await,
            Some(Fault::HoldUntil(gate)) => gate.passed().await,
        }
        send().await
    }
}

fn failure(verb: StorageVerb, message: &str) -> Error {
    Error::new(ErrorKind::Unavailable, verb.as_str(), format!("injected: {message}"))
}

#[deny(clippy::missing_trait_methods, reason = "a new verb must not be forgotten")]
#[async_trait]
impl<S: Storage + ?Sized> Storage for FaultStore<S> {
    fn capabilities(&self) -> Capabilities {
        self.store.capabilities()
    }

    /// Calls of a store in a transaction would have no faults.
    fn concrete(&self) -> Option<&dyn Any> {
        None
    }

    async fn enqueue(
        &self,
        queue: &QueueName,
        groups: Vec<Vec<NewJob>>,
    ) -> Result<Stamped<Vec<Vec<Enqueued>>>> {
        self.call(StorageVerb::Enqueue, || self.store.enqueue(queue, groups.clone())).await
    }

    async fn claim(&self, request: ClaimRequest) -> Result<Claimed> {
        self.call(StorageVerb::Claim, || self.store.claim(request.clone())).await
    }

    async fn apply(&self, batch: Vec<Transition>) -> Result<Stamped<Vec<Applied>>> {
        self.call(StorageVerb::Apply, || self.store.apply(batch.clone())).await
    }

    async fn get(
        &self,
        queue: &QueueName,
        ids: &[JobId],
        what: Detail,
    ) -> Result<Stamped<Vec<Option<JobRecord>>>> {
        self.call(StorageVerb::Get, || self.store.get(queue, ids, what)).await
    }

    async fn list(&self, query: ListQuery) -> Result<Page> {
        self.call(StorageVerb::List, || self.store.list(query.clone())).await
    }

    async fn attempts(&self, queue: &QueueName, ids: &[JobId]) -> Result<Stamped<Vec<Option<JobAttempts>>>> {
        self.call(StorageVerb::Attempts, || self.store.attempts(queue, ids)).await
    }

    async fn counts(&self, queue: &QueueName) -> Result<Counts> {
        self.call(StorageVerb::Counts, || self.store.counts(queue)).await
    }

    async fn queues(&self, query: QueuesQuery) -> Result<QueuesPage> {
        self.call(StorageVerb::Queues, || self.store.queues(query.clone())).await
    }

    async fn prune(&self, request: PruneRequest) -> Result<u64> {
        self.call(StorageVerb::Prune, || self.store.prune(request.clone())).await
    }

    async fn import(&self, request: ImportRequest) -> Result<Stamped<Vec<Imported>>> {
        self.call(StorageVerb::Import, || self.store.import(request.clone())).await
    }

    async fn set_paused(&self, queue: &QueueName, kind: Option<&Kind>, pause: Pause) -> Result<()> {
        self.call(StorageVerb::SetPaused, || self.store.set_paused(queue, kind, pause)).await
    }

    async fn set_limits(&self, queue: &QueueName, limits: Vec<(LimitScope, Option<Limit>)>) -> Result<()> {
        self.call(StorageVerb::SetLimits, || self.store.set_limits(queue, limits.clone())).await
    }

    async fn limits(&self, queue: &QueueName) -> Result<Vec<(LimitScope, Limit)>> {
        self.call(StorageVerb::Limits, || self.store.limits(queue)).await
    }

    async fn partitions(&self, query: PartitionQuery) -> Result<PartitionPage> {
        self.call(StorageVerb::Partitions, || self.store.partitions(query.clone())).await
    }

    async fn subscribe(&self, queue: &QueueName, interest: Interest) -> Result<EventStream> {
        let hints =
            self.call(StorageVerb::Subscribe, || self.store.subscribe(queue, interest.clone())).await?;
        Ok(Box::pin(FaultyHints::new(hints, self.injector.clone())))
    }

    async fn announce(&self, worker: WorkerInfo, ttl: Duration) -> Result<Duty> {
        self.call(StorageVerb::Announce, || self.store.announce(worker.clone(), ttl)).await
    }

    async fn set_duty(&self, worker: &WorkerId, duty: Duty) -> Result<Option<Duty>> {
        self.call(StorageVerb::SetDuty, || self.store.set_duty(worker, duty)).await
    }

    async fn workers(&self) -> Result<Vec<WorkerInfo>> {
        self.call(StorageVerb::Workers, || self.store.workers()).await
    }

    async fn write_series(&self, entry: SeriesEntry, ttl: Duration) -> Result<()> {
        self.call(StorageVerb::WriteSeries, || self.store.write_series(entry.clone(), ttl)).await
    }

    async fn read_series(&self, query: SeriesQuery) -> Result<Stamped<SeriesPage>> {
        self.call(StorageVerb::ReadSeries, || self.store.read_series(query.clone())).await
    }

    async fn verify(&self) -> Result<Vec<String>> {
        self.call(StorageVerb::Verify, || self.store.verify()).await
    }

    async fn diagnose(&self) -> Result<Vec<Finding>> {
        self.call(StorageVerb::Diagnose, || self.store.diagnose()).await
    }

    async fn close(&self) -> Result<()> {
        self.store.close().await
    }
}
