//! A queue for tests, whose time stands still.

use super::{EnqueuedJobs, TestJob, TestStore, drain::drained, inline::Runner};
use crate::{Decode, Queue};
use queue_core::{JobKind, Payload};
use queue_worker::{Context, JobError, JobHandler, WorkerReport, runtime::Handler};
use std::{fmt, ops::Deref, panic::Location, sync::Arc, time::Duration};

/// A [`Queue`] on a [`TestStore`]. It dereferences to the queue, for the code under test.
///
/// Store time moves only by [`advance`](Self::advance), which delays, retries, leases and retention
/// follow. Waits in real time, such as the deadline of [`Queue::wait`], follow tokio's clock, which
/// tests can pause.
pub struct TestQueue<P, R = ()> {
    queue: Queue<P, R>,
    store: TestStore,
}

impl<P, R> TestQueue<P, R> {
    /// An empty queue called `test` on a store of its own.
    pub fn new() -> Self {
        TestStore::new().queue("test")
    }

    pub(super) fn on(store: TestStore, queue: Queue<P, R>) -> Self {
        Self { queue, store }
    }

    /// The store of this queue, for further queues on it.
    pub fn store(&self) -> &TestStore {
        &self.store
    }

    /// Moves store time forward by whole milliseconds, for all queues of the store.
    pub fn advance(&self, by: Duration) {
        self.store.advance(by);
    }

    /// Runs every job that is due now, one after another in claim order, and the jobs that they
    /// enqueue, until none is due. Jobs that wait for a retry are due only after
    /// [`advance`](Self::advance).
    ///
    /// # Panics
    /// Outside a tokio runtime with time enabled.
    pub async fn run_due<H>(&self, handler: H) -> WorkerReport
    where
        H: Handler<Context, Output = Payload, Error = JobError>,
    {
        self.run_shared(Arc::new(handler)).await
    }

    /// Runs every job, delayed and retried ones too, until none waits: store time moves on to the
    /// next due time, and to the next time-out of a gate. A job behind a gate that has no time-out
    /// and lacks signals stays there. A paused queue keeps its jobs.
    ///
    /// ```
    /// use queue::{testing::TestQueue, worker::JobError};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> queue::Result<()> {
    /// let emails: TestQueue<String> = TestQueue::new();
    /// emails.enqueue("welcome-ada", "welcome, ada".to_owned()).await?;
    /// let flaky = emails.handler(|_, job| async move {
    ///     if job.attempt() < 3 { Err(JobError::named("Smtp", "try again")) } else { Ok(()) }
    /// });
    /// let report = emails.drain(flaky).await;
    /// assert_eq!((report.failing, report.completed), (2, 1));
    /// # Ok(()) }
    /// ```
    ///
    /// # Panics
    /// If jobs wait and none has ended while time was moved on 1,000 times, and outside a tokio
    /// runtime with time enabled.
    pub async fn drain<H>(&self, handler: H) -> WorkerReport
    where
        H: Handler<Context, Output = Payload, Error = JobError>,
    {
        drained(self, Arc::new(handler)).await
    }

    /// From now on each enqueue into this queue, by any handle on this store, runs the due jobs of
    /// the queue before it answers. Afterwards the job is done, with its result, or has failed as
    /// it would under a worker. The answer of an enqueue does not depend on what the handler
    /// returned. Delayed jobs wait for [`run_due`](Self::run_due) or [`drain`](Self::drain).
    ///
    /// ```
    /// use queue::testing::TestQueue;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> queue::Result<()> {
    /// let lengths: TestQueue<String, usize> = TestQueue::new();
    /// lengths.inline(lengths.handler(|text, _| async move { Ok(text.len()) }));
    ///
    /// lengths.enqueue("of-ada", "ada".to_owned()).await?;
    /// assert_eq!(lengths.result("of-ada").await?, Some(3));
    /// # Ok(()) }
    /// ```
    pub fn inline<H>(&self, handler: H)
    where
        H: Handler<Context, Output = Payload, Error = JobError>,
    {
        self.store.inline().set(self.queue.name().clone(), self.runner(Arc::new(handler)));
    }

    /// The jobs of this queue that wait for a worker, due or not, as a selection to narrow down.
    pub fn enqueued(&self) -> EnqueuedJobs<'_, P, R> {
        EnqueuedJobs::select_from(self.queue.clone(), &self.store)
    }

    /// The same of one kind, with the payload of that kind.
    ///
    /// ```
    /// use queue::{JobKind, testing::TestQueue};
    ///
    /// const LENGTH: JobKind<String, usize> = JobKind::new("length");
    /// const SQUARE: JobKind<u64, u64> = JobKind::new("square");
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> queue::Result<()> {
    /// let tasks: TestQueue<()> = TestQueue::new();
    /// tasks.of(LENGTH).enqueue("of-ada", "ada".to_owned()).await?;
    /// tasks.of(SQUARE).enqueue("of-12", 12).await?;
    /// tasks.enqueued_of(SQUARE).payload(12).assert_one().await;
    /// # Ok(()) }
    /// ```
    pub fn enqueued_of<P2, R2>(&self, kind: JobKind<P2, R2>) -> EnqueuedJobs<'_, P2, R2> {
        EnqueuedJobs::select_from(self.queue.of(kind), &self.store).kind(kind)
    }

    /// Asserts that a waiting job has an expected payload, and returns the oldest one: a short form
    /// for a common use of [`enqueued`](Self::enqueued).
    ///
    /// # Panics
    /// If there is none, with a message that lists the jobs.
    #[track_caller]
    pub fn assert_enqueued(
        &self,
        is_expected: impl Fn(&P) -> bool + Send + Sync,
    ) -> impl Future<Output = TestJob<P>>
    where
        P: Decode,
    {
        let asserted_at = Location::caller();
        async move { self.enqueued().payload_where(is_expected).at_least_one(asserted_at).await }
    }

    pub(super) async fn run_shared(&self, handler: Arc<JobHandler>) -> WorkerReport {
        self.runner(handler).run(self.store.storage(), self.queue.name().clone()).await
    }

    fn runner(&self, handler: Arc<JobHandler>) -> Runner {
        let (policy, rng) = (self.queue.shared.policy.clone(), self.store.rng().clone());
        Runner { handler, policy, rng }
    }
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
        f.debug_struct("TestQueue").field("queue", &self.queue).finish_non_exhaustive()
    }
}
