use crate::{Decode, Queue};
use queue_core::{
    Detail, JobId, JobMeta, ListQuery, ManualClock, Payload, SeededRng, StorageExt, TimeOrderedIds,
};
use queue_memory::MemoryStorage;
use queue_serde::{CodecContext, Role};
use queue_worker::{Context, JobError, Report, runtime::Handler};
use std::{fmt, ops::Deref, sync::Arc, time::Duration};

/// Jobs in one page of a listing.
const PAGE: usize = 1000;
/// Generated ids and lease tokens come from this, so that every run sees the same.
const SEED: u64 = 1;

/// A [`Queue`] on a store of its own in memory, whose time moves only when told to. It derefs to the queue, for the code
/// under test.
///
/// Store time is manual: delays, retries, leases and retention pass with [`advance`](Self::advance). What a program
/// waits for in real time, such as the deadline of [`Queue::wait`], follows tokio's clock, which tests can pause.
pub struct TestQueue<P, R = ()> {
    queue: Queue<P, R>,
    clock: Arc<ManualClock>,
}

impl<P, R> TestQueue<P, R> {
    /// An empty queue called `test`.
    ///
    /// # Panics
    /// Never: its name and options are valid.
    pub fn new() -> Self {
        let clock = Arc::new(ManualClock::default());
        let storage = Arc::new(MemoryStorage::with_clock(clock.clone()));
        let rng = Arc::new(SeededRng::new(SEED));
        let ids = Arc::new(TimeOrderedIds::new(clock.clone(), rng.clone()));
        let queue = Queue::builder(storage, "test").rng(rng).ids(ids).build();
        Self { queue: queue.expect("the defaults are valid"), clock }
    }

    /// Moves store time forward by whole milliseconds.
    pub fn advance(&self, by: Duration) {
        self.clock.advance(by);
    }

    /// Runs every job that is due now, one after the other in claim order, with those that they bring along, until
    /// nothing is due. Jobs that are retried with a wait are due only after [`advance`](Self::advance).
    ///
    /// # Panics
    /// Outside a tokio runtime with time enabled.
    pub async fn run_due<H>(&self, handler: H) -> Report
    where
        H: Handler<Context, Output = Payload, Error = JobError>,
    {
        let worker = self.queue.worker(handler).concurrency(1).prefetch(0).until_idle().build();
        worker.expect("the settings are valid").run().await
    }

    /// The jobs that wait for a worker, due or not, oldest first, with their payloads.
    ///
    /// # Panics
    /// If a payload is no `P`.
    pub async fn waiting(&self) -> Vec<(JobMeta, P)>
    where
        P: Decode,
    {
        let mut waiting = Vec::new();
        for meta in self.all().await.into_iter().filter(|meta| meta.state.is_waiting()) {
            let payload = self.payload_of(&meta).await;
            waiting.push((meta, payload));
        }
        waiting
    }

    /// The oldest job that waits and whose payload is as expected.
    ///
    /// # Panics
    /// If there is none, saying what there is.
    pub async fn assert_enqueued(&self, is_expected: impl Fn(&P) -> bool) -> JobMeta
    where
        P: Decode + fmt::Debug,
    {
        let mut waiting = self.waiting().await;
        match waiting.iter().position(|(_, payload)| is_expected(payload)) {
            Some(at) => waiting.swap_remove(at).0,
            None => panic!("no waiting job is as expected; there are {:#?}", payloads(waiting)),
        }
    }

    /// # Panics
    /// If a job waits, saying which.
    pub async fn assert_nothing_enqueued(&self)
    where
        P: Decode + fmt::Debug,
    {
        let waiting = self.waiting().await;
        assert!(waiting.is_empty(), "jobs wait: {:#?}", payloads(waiting));
    }

    async fn all(&self) -> Vec<JobMeta> {
        let mut query = ListQuery::all(self.queue.name().clone(), PAGE);
        let mut jobs = Vec::new();
        loop {
            let page = self.queue.storage().list(query.clone()).await.expect("memory lists");
            jobs.extend(page.jobs);
            match page.next {
                Some(next) => query.after = Some(next),
                None => return jobs,
            }
        }
    }

    async fn payload_of(&self, meta: &JobMeta) -> P
    where
        P: Decode,
    {
        let (storage, name) = (self.queue.storage(), self.queue.name());
        let record = storage.get_one(name, &meta.id, Detail::Full).await.expect("memory reads");
        let body = record.and_then(|record| record.body).expect("a listed job is there");
        let context = CodecContext::of(meta, Role::Payload);
        self.queue.shared.decode(&body.payload, &context).expect("the payload is of the queue's type")
    }
}

fn payloads<P>(waiting: Vec<(JobMeta, P)>) -> Vec<(JobId, P)> {
    waiting.into_iter().map(|(meta, payload)| (meta.id, payload)).collect()
}

impl<P, R> Default for TestQueue<P, R> {
    fn default() -> Self {
        Self::new()
    }
}

impl<P, R> Deref for TestQueue<P, R> {
    type Target = Queue<P, R>;

    fn deref(&self) -> &Self::Target {
        &self.queue
    }
}

impl<P, R> fmt::Debug for TestQueue<P, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TestQueue").field("clock", &self.clock).finish_non_exhaustive()
    }
}
