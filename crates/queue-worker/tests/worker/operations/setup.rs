//! A store that dies at a call, and operations on it.

use crate::support::{id, job};
use async_trait::async_trait;
use queue_core::{
    Applied, ClaimRequest, ClaimedJob, Clock, Detail, Error, ErrorKind, JobId, JobMeta, JobRecord, ListQuery,
    ManualClock, NewJob, Page, QueueName, Result, SeededRng, Span, Stamped, State, Storage, StorageExt,
    StorageLayer, Timestamp, UnreadableWaits, WorkerId,
    lifecycle::{Cause, Event, OnProcessing, Policy, Transition},
};
use queue_memory::MemoryStorage;
use queue_view::{JobFilter, Standing};
use queue_worker::{
    ReservedJob, handle_reserved,
    operations::{Action, OPERATIONS_QUEUE, OperationCounts, OperationProgress, OperationSpec},
};
use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicI64, Ordering},
    },
    time::Duration,
};

pub(super) const LEASE: Span = Span::from_secs(30);

/// A store whose calls fail from some call on, before or after they have done their work, as a
/// process does that is killed.
#[derive(Debug)]
pub(super) struct Mortal {
    pub(super) store: MemoryStorage,
    /// How many calls are still answered; below zero none is.
    pub(super) left: AtomicI64,
    /// The id of a job whose changes are refused for good, as one that breaks a limit is.
    pub(super) refused: Mutex<Option<JobId>>,
    /// Whether the operation is asked to stop as soon as it has sent changes.
    pub(super) is_stopped_early: AtomicBool,
    /// Whether another job is cancelled after each page that is read.
    pub(super) more_come: AtomicBool,
}

impl Mortal {
    fn new(store: MemoryStorage) -> Self {
        let (left, refused) = (AtomicI64::new(i64::MAX), Mutex::default());
        let [is_stopped_early, more_come] = [false; 2].map(AtomicBool::new);
        Self { store, left, refused, is_stopped_early, more_come }
    }

    fn dies(&self) -> bool {
        self.left.fetch_sub(1, Ordering::SeqCst) <= 0
    }

    fn refuses(&self, batch: &[Transition]) -> bool {
        let refused = self.refused.lock().expect("nobody panics while holding it");
        batch.iter().any(|sent| Some(&sent.id) == refused.as_ref())
    }

    /// A job that is cancelled as soon as it is there.
    async fn put_cancelled(&self) {
        let newest = self.store.list(ListQuery::all(tests(), 10_000)).await.expect("memory lists").jobs.len();
        let new = job(&format!("more-{newest}"), 0);
        self.store.enqueue(&tests(), vec![vec![new.clone()]]).await.expect("memory enqueues");
        self.cancel(&tests(), &new.id).await;
    }

    async fn cancel(&self, queue: &QueueName, id: &JobId) {
        let event = Event::Cancel { processing: OnProcessing::Request };
        self.store.change(queue, id, event, &Policy::default()).await.expect("memory changes");
    }
}

fn dead() -> Error {
    Error::new(ErrorKind::Unavailable, "call", "the process is dead").unknown()
}

#[async_trait]
impl StorageLayer for Mortal {
    type Inner = MemoryStorage;

    fn inner(&self) -> &MemoryStorage {
        &self.store
    }

    async fn apply(&self, batch: Vec<Transition>) -> Result<Stamped<Vec<Applied>>> {
        // Another runner may make a call in between.
        tokio::task::yield_now().await;
        if self.dies() {
            return Err(dead());
        }
        if self.refuses(&batch) {
            return Err(Error::new(ErrorKind::Invalid, "apply", "this change breaks a limit"));
        }
        let is_changes = batch.iter().any(|sent| sent.queue == tests());
        let answer = self.store.apply(batch).await;
        if is_changes && self.is_stopped_early.load(Ordering::SeqCst) {
            self.cancel(&operations(), &id("operation")).await;
        }
        if self.dies() { Err(dead()) } else { answer }
    }

    async fn list(&self, query: ListQuery) -> Result<Page> {
        tokio::task::yield_now().await;
        let page = if self.dies() { Err(dead()) } else { self.store.list(query).await };
        if self.more_come.load(Ordering::SeqCst) {
            self.put_cancelled().await;
        }
        page
    }

    async fn get(
        &self,
        queue: &QueueName,
        ids: &[JobId],
        what: Detail,
    ) -> Result<Stamped<Vec<Option<JobRecord>>>> {
        tokio::task::yield_now().await;
        if self.dies() { Err(dead()) } else { self.store.get(queue, ids, what).await }
    }
}

pub(super) struct Given {
    pub(super) clock: Arc<ManualClock>,
    pub(super) mortal: Mortal,
    rng: SeededRng,
}

impl Given {
    pub(super) fn new() -> Self {
        let clock = Arc::new(ManualClock::new(Timestamp::from_millis(1_000_000)));
        let store = MemoryStorage::with_clock(clock.clone());
        Self { clock, mortal: Mortal::new(store), rng: SeededRng::new(3) }
    }

    pub(super) fn store(&self) -> &MemoryStorage {
        &self.mortal.store
    }

    pub(super) async fn put(&self, new: NewJob) {
        self.store().enqueue(&tests(), vec![vec![new]]).await.expect("memory enqueues");
    }

    pub(super) async fn claim(&self, queue: &QueueName, limit: usize) -> Vec<ClaimedJob> {
        let worker = WorkerId::from_static("w");
        let request = ClaimRequest::new(queue.clone(), worker, limit, LEASE, &self.rng);
        self.store().claim(request).await.expect("memory claims").jobs
    }

    pub(super) async fn put_failed(&self, count: usize) {
        for n in 0..count {
            self.put(job(&format!("failed-{n}"), 0)).await;
        }
        self.fail_all().await;
    }

    /// Jobs that are due.
    pub(super) async fn put_many(&self, count: usize) {
        for n in 0..count {
            self.put(job(&format!("many-{n}"), 0)).await;
        }
    }

    /// Jobs that wait so long after a failed attempt.
    pub(super) async fn put_failing(&self, count: usize, delay: Span) {
        for n in 0..count {
            self.put(job(&format!("failing-{n}"), 0)).await;
        }
        for held in self.claim(&tests(), 1000).await {
            let failure = queue_core::Failure::new("Io", "disk");
            let (token, cause, delay) = (held.token, Cause::Retryable, Some(delay));
            let event = Event::Fail { token, failure, cause, delay, retention: None, then: Vec::new() };
            self.settle(&held, event).await;
        }
    }

    pub(super) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub(super) async fn fail_all(&self) {
        for held in self.claim(&tests(), 1000).await {
            let failure = queue_core::Failure::new("Io", "disk");
            let (token, cause) = (held.token, Cause::Terminal);
            let event = Event::Fail { token, failure, cause, delay: None, retention: None, then: Vec::new() };
            self.settle(&held, event).await;
        }
    }

    pub(super) async fn settle(&self, held: &ClaimedJob, event: Event) {
        self.store().settle(&held.record.meta, event, &Policy::default()).await.expect("memory settles");
    }

    pub(super) async fn change(&self, queue: &QueueName, id: &JobId, event: Event) {
        self.store().change(queue, id, event, &Policy::default()).await.expect("memory changes");
    }

    pub(super) async fn spec(&self, action: Action, standings: &[Standing]) -> OperationSpec {
        let newest = queue_core::Walk::All(queue_core::Direction::NewestFirst);
        let page = self.store().list(ListQuery::new(tests(), newest, 1)).await.expect("memory lists");
        let filter = JobFilter::standing(standings.iter().copied());
        OperationSpec::new(tests(), filter, action, page.jobs.first(), page.now)
    }

    /// Completes each job that is due.
    pub(super) async fn complete_all(&self) {
        for held in self.claim(&tests(), 1000).await {
            let (token, result) = (held.token, held.record.body.as_ref().expect("whole").payload.clone());
            self.settle(&held, Event::Complete { token, result, retention: None, then: Vec::new() }).await;
        }
    }

    /// Begins an operation.
    pub(super) async fn begin(&self, spec: &OperationSpec) {
        self.begin_as("operation", spec).await;
    }

    pub(super) async fn begin_as(&self, name: &str, spec: &OperationSpec) {
        spec.check().expect("it can do something");
        let job = spec.job(id(name));
        self.store().enqueue(&operations(), vec![vec![job]]).await.expect("memory enqueues");
        self.clock.advance(Duration::from_millis(1));
    }

    /// Runs the operation under one claim, whose holder dies with the call of this number.
    pub(super) async fn step(&self, calls: i64) -> bool {
        let Some(held) = self.claim(&operations(), 1).await.pop() else { return false };
        self.mortal.left.store(calls, Ordering::SeqCst);
        let payload = &held.record.body.as_ref().expect("it was read").payload;
        let (meta, unreadable) = (&held.record.meta, &UnreadableWaits::default());
        let job = ReservedJob { meta, payload, token: held.token, unreadable };
        if let Ok(outcome) = handle_reserved(&self.mortal, job).await {
            self.settle(&held, outcome.event).await;
        } else {
            self.clock.advance(LEASE.as_duration());
            self.change(&operations(), &held.record.meta.id, Event::Lapse).await;
        }
        true
    }

    /// Runs the operation to its end.
    pub(super) async fn run(&self) -> (State, OperationProgress) {
        while self.step(i64::MAX).await {}
        self.ended().await
    }

    pub(super) async fn ended(&self) -> (State, OperationProgress) {
        self.ended_as("operation").await
    }

    pub(super) async fn ended_as(&self, name: &str) -> (State, OperationProgress) {
        let found = self.store().get_one(&operations(), &id(name), Detail::Meta).await;
        let meta = found.expect("memory reads").expect("it is kept").meta;
        (meta.state, OperationProgress::from_bytes(meta.progress().expect("it began")).expect("readable"))
    }

    pub(super) async fn jobs(&self) -> BTreeMap<String, JobMeta> {
        let page = self.store().list(ListQuery::all(tests(), 10_000)).await.expect("memory lists");
        page.jobs.into_iter().map(|job| (job.id.to_string(), job)).collect()
    }
}

/// The queue of the jobs.
pub(super) fn tests() -> QueueName {
    QueueName::from_static("tests")
}

pub(super) fn operations() -> QueueName {
    QueueName::from_static(OPERATIONS_QUEUE)
}

pub(super) fn counts(done: u64, skipped: u64, failed: u64) -> OperationCounts {
    OperationCounts { done, gone: 0, skipped, failed }
}
