//! The handle: the `Storage` contract on top of the engine.

use crate::Engine;
use async_trait::async_trait;
use parking_lot::Mutex;
use queue_core::{
    AnswerRoom, Applied, Capabilities, ClaimRequest, Claimed, Clock, ClockBound, Counts, Detail, Durability,
    Duty, Enqueued, Error, EventReach, EventStream, ImportRequest, Imported, Interest, JobAttempts, JobId,
    JobRecord, Kind, Limit, LimitScope, ListQuery, Moment, NewJob, Page, PartitionPage, PartitionQuery,
    Pause, PruneRequest, QueueName, QueuesPage, QueuesQuery, Reach, Result, SeriesEntry, SeriesPage,
    SeriesQuery, Span, Stamped, Storage, StoreTime, SystemClock, WorkerId, WorkerInfo, lifecycle::Transition,
};
use queue_store::{Hub, Notices};
use std::{
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

/// A handle on a store in memory. The data lives as long as its last handle.
///
/// No verb waits, so dropping a future either leaves everything undone or nothing.
#[derive(Debug)]
pub struct MemoryStorage {
    shared: Arc<SharedEngine>,
    hub: Arc<Hub>,
    closed: AtomicBool,
}

#[derive(Debug)]
struct SharedEngine {
    /// A panic under the lock leaves no operation half done: the engine checks before it changes
    /// anything.
    state: Mutex<EngineState>,
    clock: Arc<dyn Clock>,
    /// One hub per handle, so that closing a handle ends no stream of another.
    hubs: Mutex<Vec<Weak<Hub>>>,
}

/// The jobs, and the last reading of store time, which all handles share because they share one
/// clock.
#[derive(Debug)]
struct EngineState {
    engine: Engine,
    time: StoreTime,
    clock_bound: ClockBound,
}

impl MemoryStorage {
    /// An empty store on the wall clock, which is refused while it [leaps
    /// ahead](queue_core::ClockBound) by more than [an hour](queue_core::ClockBound::STEP_MAX).
    pub fn new() -> Self {
        Self::bounded(Arc::new(SystemClock), ClockBound::default())
    }

    /// An empty store on the given clock, which may leap ahead as it likes.
    pub fn with_clock(clock: Arc<dyn Clock>) -> Self {
        Self::bounded(clock, ClockBound::new(Duration::MAX))
    }

    /// An empty store on the given clock, within a bound on how far it may leap ahead.
    pub fn bounded(clock: Arc<dyn Clock>, clock_bound: ClockBound) -> Self {
        let mut engine = Engine::default();
        // Workers need wake-ups only. Notices of single jobs start with the first subscriber that
        // asks for them.
        engine.notice_jobs(false);
        let state = Mutex::new(EngineState { engine, time: StoreTime::new(clock.ticks()), clock_bound });
        Self::on(Arc::new(SharedEngine { state, clock, hubs: Mutex::default() }))
    }

    /// Another handle on the same data; closing one does not close the other.
    #[must_use]
    pub fn another_handle(&self) -> Self {
        Self::on(self.shared.clone())
    }

    fn on(shared: Arc<SharedEngine>) -> Self {
        let hub = Arc::new(Hub::default());
        shared.hubs.lock().push(Arc::downgrade(&hub));
        Self { shared, hub, closed: AtomicBool::new(false) }
    }

    /// Runs one operation of the engine and publishes what it changed.
    fn with<T>(&self, operation: &'static str, run: impl FnOnce(&mut Engine, Moment) -> T) -> Result<T> {
        if self.closed.load(Ordering::Acquire) {
            return Err(Error::closed(operation));
        }
        let clock = &self.shared.clock;
        let mut state = self.shared.state.lock();
        let EngineState { engine, time, clock_bound } = &mut *state;
        let ticks = clock.ticks();
        let moment = Moment::decide(engine.mark(), clock.now(), time.floor(ticks));
        let checked = clock_bound.check(engine.mark(), moment.clock, ticks);
        checked.map_err(|leap| leap.of(operation))?;
        time.note(moment.now, ticks);
        let answer = run(engine, moment);
        // Notices are published under the lock, so that the notices of one job arrive in order.
        self.shared.publish(&engine.take_notices());
        Ok(answer)
    }
}

impl MemoryStorage {
    fn answer_room(&self) -> AnswerRoom {
        AnswerRoom::new(self.capabilities().limits.answer_bytes_max)
    }
}

impl SharedEngine {
    fn publish(&self, notices: &Notices) {
        if !notices.is_empty() {
            self.hubs.lock().iter().filter_map(Weak::upgrade).for_each(|hub| notices.publish(&hub));
        }
    }
}

impl Default for MemoryStorage {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for MemoryStorage {
    fn drop(&mut self) {
        let own = Arc::downgrade(&self.hub);
        self.shared.hubs.lock().retain(|hub| !hub.ptr_eq(&own));
    }
}

#[async_trait]
impl Storage for MemoryStorage {
    fn capabilities(&self) -> Capabilities {
        Capabilities::new("memory", Durability::None, Reach::Process)
            .with_events(EventReach::Store)
            .with_presence()
            .with_pause()
            .with_attempts()
            .with_import()
            .with_series()
            .with_gates()
            .with_partitions()
    }

    async fn enqueue(
        &self,
        queue: &QueueName,
        groups: Vec<Vec<NewJob>>,
    ) -> Result<Stamped<Vec<Vec<Enqueued>>>> {
        self.capabilities().limits.check_enqueue(&groups)?;
        self.with("enqueue", |engine, moment| {
            let mut value = engine.enqueue(queue, groups, moment.now);
            self.answer_room().trim_results(&mut value);
            Stamped::at(moment, value)
        })
    }

    async fn claim(&self, request: ClaimRequest) -> Result<Claimed> {
        self.capabilities().limits.check_batch("claim", request.limit)?;
        self.with("claim", |engine, moment| engine.claim(&request, moment))
    }

    async fn apply(&self, batch: Vec<Transition>) -> Result<Stamped<Vec<Applied>>> {
        self.capabilities().limits.check_apply(&batch)?;
        self.with("apply", |engine, moment| Stamped::at(moment, engine.apply(batch, moment.now)))
    }

    async fn get(
        &self,
        queue: &QueueName,
        ids: &[JobId],
        what: Detail,
    ) -> Result<Stamped<Vec<Option<JobRecord>>>> {
        self.with("get", |engine, moment| {
            let mut value = engine.get(queue, ids, what, moment.now);
            self.answer_room().trim_records(&mut value);
            Stamped::at(moment, value)
        })
    }

    async fn list(&self, query: ListQuery) -> Result<Page> {
        self.with("list", |engine, moment| engine.list(&query, moment))?
    }

    async fn attempts(&self, queue: &QueueName, ids: &[JobId]) -> Result<Stamped<Vec<Option<JobAttempts>>>> {
        JobAttempts::check(ids)?;
        self.with("attempts", |engine, moment| {
            let one = |id| engine.attempts(queue, id, moment.now);
            Stamped::at(moment, ids.iter().map(one).collect())
        })
    }

    async fn counts(&self, queue: &QueueName) -> Result<Counts> {
        self.with("counts", |engine, moment| engine.counts(queue, moment))
    }

    async fn queues(&self, query: QueuesQuery) -> Result<QueuesPage> {
        self.with("queues", |engine, moment| engine.queues(&query, moment))
    }

    async fn prune(&self, request: PruneRequest) -> Result<u64> {
        self.with("prune", |engine, moment| engine.prune(&request, moment.now))
    }

    async fn import(&self, request: ImportRequest) -> Result<Stamped<Vec<Imported>>> {
        request.check(&self.capabilities().limits)?;
        self.with("import", |engine, moment| Stamped::at(moment, engine.import(request, moment.now)))
    }

    async fn set_paused(&self, queue: &QueueName, kind: Option<&Kind>, pause: Pause) -> Result<()> {
        self.with("set_paused", |engine, moment| engine.set_paused(queue, kind, pause, moment.now))?
    }

    async fn set_limits(&self, queue: &QueueName, limits: Vec<(LimitScope, Option<Limit>)>) -> Result<()> {
        self.capabilities().limits.check_batch("set_limits", limits.len())?;
        self.with("set_limits", |engine, _| engine.set_limits(queue, limits))?
    }

    async fn limits(&self, queue: &QueueName) -> Result<Vec<(LimitScope, Limit)>> {
        self.with("limits", |engine, _| engine.limits(queue))
    }

    async fn partitions(&self, query: PartitionQuery) -> Result<PartitionPage> {
        self.with("partitions", |engine, moment| engine.partitions(&query, moment))
    }

    async fn subscribe(&self, queue: &QueueName, interest: Interest) -> Result<EventStream> {
        self.with("subscribe", |engine, _| {
            if interest != Interest::Wake {
                engine.notice_jobs(true);
            }
            self.hub.subscribe(queue, interest)
        })
    }

    async fn announce(&self, worker: WorkerInfo, ttl: Duration) -> Result<Duty> {
        worker.check()?;
        let ttl = Span::new("presence ttl", ttl)?;
        self.with("announce", |engine, moment| engine.announce(worker, ttl, moment.now))
    }

    async fn set_duty(&self, worker: &WorkerId, duty: Duty) -> Result<Option<Duty>> {
        self.with("set_duty", |engine, moment| {
            engine.set_duty(worker, duty, moment.now).map(|(shown, _)| shown.duty)
        })
    }

    async fn workers(&self) -> Result<Vec<WorkerInfo>> {
        self.with("workers", |engine, moment| engine.workers(moment.now))
    }

    async fn write_series(&self, entry: SeriesEntry, ttl: Duration) -> Result<()> {
        entry.check()?;
        let ttl = Span::new("series ttl", ttl)?;
        self.with("write_series", |engine, moment| engine.write_series(entry, ttl, moment.now))
    }

    async fn read_series(&self, query: SeriesQuery) -> Result<Stamped<SeriesPage>> {
        self.with("read_series", |engine, moment| Stamped::at(moment, engine.read_series(&query, moment.now)))
    }

    async fn verify(&self) -> Result<Vec<String>> {
        self.with("verify", |engine, moment| engine.verify(moment.now))
    }

    async fn close(&self) -> Result<()> {
        self.closed.store(true, Ordering::Release);
        self.hub.close();
        Ok(())
    }
}
