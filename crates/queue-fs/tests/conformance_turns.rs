//! The conformance suite with two handles that take turns: one stays open and learns of the other's
//! writes from the files alone, like another process; the other is opened for one call and closed
//! after it.

mod harness;

use async_trait::async_trait;
use harness::{Settings, harness};
use queue_core::{
    Applied, Capabilities, ClaimRequest, Claimed, Clock, Counts, Detail, Duty, Enqueued, EventStream,
    Finding, Interest, JobAttempts, JobId, JobRecord, Kind, Limit, LimitScope, ListQuery, NewJob, Page,
    PartitionPage, PartitionQuery, Pause, PruneRequest, QueueName, QueuesPage, QueuesQuery, Result,
    SeriesEntry, SeriesPage, SeriesQuery, Span, Stamped, Storage, SystemRng, WorkerId, WorkerInfo,
    lifecycle::Transition,
};
use queue_fs::Flush;
use queue_testkit::{EmbeddedHarness, Facility, Failure, Harness, Place};
use std::{
    process::ExitCode,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

/// One call in this many goes through a fresh handle, since opening one takes longer than a call.
/// The number is odd, so that each verb of a loop of several gets its turn.
const TURNS: usize = 5;

fn main() -> ExitCode {
    let settings = Settings { flush: Flush::Never, segment_bytes: 64 << 10, memory_budget_bytes: 0 };
    queue_testkit::run("file, in turns", TurnsHarness(harness(settings)))
}

#[derive(Debug)]
struct TurnsHarness(EmbeddedHarness);

#[async_trait]
impl Harness for TurnsHarness {
    async fn create(&self, clock: Arc<dyn Clock>) -> Result<Box<dyn Place>, Failure> {
        Ok(Box::new(TurnsPlace(self.0.create(clock).await?.into())))
    }

    /// Each fresh handle takes its clock as it is, so none of them doubts one.
    fn facilities(&self) -> &[Facility] {
        &[Facility::Reopen, Facility::SecondHandle, Facility::DroppedClaims]
    }
}

#[derive(Debug)]
struct TurnsPlace(Arc<dyn Place>);

#[async_trait]
impl Place for TurnsPlace {
    async fn connect(&self) -> Result<Arc<dyn Storage>, Failure> {
        let kept = self.0.connect().await?;
        let (calls, closed) = (AtomicUsize::new(0), AtomicBool::new(false));
        let sets_aside = AtomicBool::new(false);
        Ok(Arc::new(Turns { place: self.0.clone(), kept, calls, closed, sets_aside }))
    }
}

#[derive(Debug)]
struct Turns {
    place: Arc<dyn Place>,
    kept: Arc<dyn Storage>,
    calls: AtomicUsize,
    closed: AtomicBool,
    /// A kind was paused. What a handle sets aside stands in its memory, so a fresh one would meet
    /// it again: claims are then made by the open one.
    sets_aside: AtomicBool,
}

impl Turns {
    /// Makes a call through the handle whose turn it is.
    async fn turn<T, Call>(&self, call: impl FnOnce(Arc<dyn Storage>) -> Call) -> Result<T>
    where
        Call: Future<Output = Result<T>>,
    {
        let is_turn_of_fresh = self.calls.fetch_add(1, Ordering::Relaxed).is_multiple_of(TURNS);
        if !is_turn_of_fresh || self.closed.load(Ordering::SeqCst) {
            return call(self.kept.clone()).await;
        }
        self.keep_time().await;
        let fresh = self.place.connect().await.expect("the directory opens again");
        let answer = call(fresh.clone()).await;
        fresh.close().await.expect("it closes");
        self.keep_time().await;
        answer
    }

    /// A fresh handle knows only the time of the journal and of its clock. So the open handle reads
    /// the time before it, which writes the mark while the clock is behind, and after it, which
    /// gives it the time that the fresh one learned.
    async fn keep_time(&self) {
        let (queue, worker) = (QueueName::from_static("turns"), WorkerId::from_static("turns"));
        let nothing = ClaimRequest::new(queue, worker, 0, Span::from_secs(1), &SystemRng);
        self.kept.claim(nothing).await.expect("it claims nothing");
    }
}

#[async_trait]
impl Storage for Turns {
    /// A handle learns of others' writes only that something changed, so events are left out.
    fn capabilities(&self) -> Capabilities {
        let Capabilities { name, durability, reach, limits, .. } = self.kept.capabilities();
        Capabilities::new(name, durability, reach)
            .with_limits(limits)
            .with_pause()
            .with_presence()
            .with_attempts()
            .with_series()
    }

    async fn enqueue(
        &self,
        queue: &QueueName,
        groups: Vec<Vec<NewJob>>,
    ) -> Result<Stamped<Vec<Vec<Enqueued>>>> {
        self.turn(|store| async move { store.enqueue(queue, groups).await }).await
    }

    async fn claim(&self, request: ClaimRequest) -> Result<Claimed> {
        if self.sets_aside.load(Ordering::SeqCst) {
            return self.kept.claim(request).await;
        }
        self.turn(|store| async move { store.claim(request).await }).await
    }

    async fn apply(&self, batch: Vec<Transition>) -> Result<Stamped<Vec<Applied>>> {
        self.turn(|store| async move { store.apply(batch).await }).await
    }

    async fn get(
        &self,
        queue: &QueueName,
        ids: &[JobId],
        what: Detail,
    ) -> Result<Stamped<Vec<Option<JobRecord>>>> {
        self.turn(|store| async move { store.get(queue, ids, what).await }).await
    }

    async fn list(&self, query: ListQuery) -> Result<Page> {
        self.turn(|store| async move { store.list(query).await }).await
    }

    async fn attempts(&self, queue: &QueueName, ids: &[JobId]) -> Result<Stamped<Vec<Option<JobAttempts>>>> {
        self.turn(|store| async move { store.attempts(queue, ids).await }).await
    }

    async fn counts(&self, queue: &QueueName) -> Result<Counts> {
        self.turn(|store| async move { store.counts(queue).await }).await
    }

    async fn queues(&self, query: QueuesQuery) -> Result<QueuesPage> {
        self.turn(|store| async move { store.queues(query).await }).await
    }

    async fn prune(&self, request: PruneRequest) -> Result<u64> {
        self.turn(|store| async move { store.prune(request).await }).await
    }

    async fn set_paused(&self, queue: &QueueName, kind: Option<&Kind>, pause: Pause) -> Result<()> {
        self.sets_aside.fetch_or(kind.is_some(), Ordering::SeqCst);
        self.turn(|store| async move { store.set_paused(queue, kind, pause).await }).await
    }

    async fn set_limits(&self, queue: &QueueName, limits: Vec<(LimitScope, Option<Limit>)>) -> Result<()> {
        self.turn(|store| async move { store.set_limits(queue, limits).await }).await
    }

    async fn limits(&self, queue: &QueueName) -> Result<Vec<(LimitScope, Limit)>> {
        self.turn(|store| async move { store.limits(queue).await }).await
    }

    async fn partitions(&self, query: PartitionQuery) -> Result<PartitionPage> {
        self.turn(|store| async move { store.partitions(query).await }).await
    }

    async fn subscribe(&self, queue: &QueueName, interest: Interest) -> Result<EventStream> {
        self.kept.subscribe(queue, interest).await
    }

    async fn announce(&self, worker: WorkerInfo, ttl: Duration) -> Result<Duty> {
        self.turn(|store| async move { store.announce(worker, ttl).await }).await
    }

    async fn set_duty(&self, worker: &WorkerId, duty: Duty) -> Result<Option<Duty>> {
        self.turn(|store| async move { store.set_duty(worker, duty).await }).await
    }

    async fn workers(&self) -> Result<Vec<WorkerInfo>> {
        self.turn(|store| async move { store.workers().await }).await
    }

    async fn write_series(&self, entry: SeriesEntry, ttl: Duration) -> Result<()> {
        self.turn(|store| async move { store.write_series(entry, ttl).await }).await
    }

    async fn read_series(&self, query: SeriesQuery) -> Result<Stamped<SeriesPage>> {
        self.turn(|store| async move { store.read_series(query).await }).await
    }

    async fn verify(&self) -> Result<Vec<String>> {
        self.turn(|store| async move { store.verify().await }).await
    }

    async fn diagnose(&self) -> Result<Vec<Finding>> {
        self.turn(|store| async move { store.diagnose().await }).await
    }

    async fn close(&self) -> Result<()> {
        self.closed.store(true, Ordering::SeqCst);
        self.kept.close().await
    }
}
