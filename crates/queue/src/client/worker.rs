//! Makes workers for the jobs of a queue handle.

use crate::{Decode, Encode, Queue};
use queue_core::Payload;
use queue_worker::{Context, JobError, Router, WorkQueue, Worker, WorkerBuilder, runtime::Handler};

impl<P, R> Queue<P, R> {
    /// A worker whose handler is a function for the jobs that this handle enqueues: of its kind,
    /// with its payload, result and codec, and under its policy. The function gets the payload and
    /// a [`Context`], and may return any error:
    ///
    #[cfg_attr(all(feature = "memory", feature = "json"), doc = "```")]
    #[cfg_attr(not(all(feature = "memory", feature = "json")), doc = "```ignore")]
    /// use queue::prelude::*;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> queue::Result<()> {
    /// let sums: Queue<String, i64> = Queue::new(open("memory:").await?, "sums")?;
    /// sums.enqueue("a", "20 22".to_owned()).await?;
    ///
    /// let worker = sums
    ///     .work_with(|numbers, _| async move {
    ///         let mut sum = 0;
    ///         for number in numbers.split(' ') {
    ///             sum += number.parse::<i64>()?; // a failed attempt, to be tried again
    ///         }
    ///         Ok(sum)
    ///     })
    ///     .until_idle()
    ///     .build()?;
    /// worker.run().await;
    /// assert_eq!(sums.result("a").await?, Some(42));
    /// # Ok(()) }
    /// ```
    ///
    /// A function of other types does not compile:
    ///
    /// ```compile_fail,E0271
    /// # use queue::Queue;
    /// fn build(sums: &Queue<String, i64>) -> queue::Result<queue::worker::Worker> {
    ///     sums.work_with(|numbers, _| async move { Ok(numbers) }).build()
    /// }
    /// ```
    ///
    /// The function does not get jobs of other kinds: for this worker they are failed attempts,
    /// unless [`on_unknown_kind`](WorkerBuilder::on_unknown_kind) says otherwise. For several
    /// kinds, and for state that all handlers share, use [`worker`](Self::worker) with a
    /// [`Router`](crate::worker::Router).
    pub fn work_with<F, Fut>(&self, function: F) -> WorkerBuilder
    where
        P: Decode + Send + 'static,
        R: Encode + Send + 'static,
        F: Fn(P, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, JobError>> + Send + 'static,
    {
        self.worker(self.handler(function))
    }

    /// The handler of [`work_with`](Self::work_with) alone, for code that runs handlers in another
    /// way, such as `testing::TestQueue`.
    #[expect(clippy::missing_panics_doc, reason = "a kind of a handle is valid, and the router has no other")]
    pub fn handler<F, Fut>(&self, function: F) -> Router
    where
        P: Decode + Send + 'static,
        R: Encode + Send + 'static,
        F: Fn(P, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, JobError>> + Send + 'static,
    {
        Router::with_codec((), self.codec().clone()).handle(self.kind(), function).expect("one valid kind")
    }

    /// A worker for the jobs of this queue, with the policy of this handle. The handler is usually
    /// a [`Router`](crate::worker::Router).
    ///
    /// The worker can work on other queues of the same store too, each with a weight and an
    /// optional rate limit:
    #[cfg_attr(all(feature = "memory", feature = "json"), doc = "```")]
    #[cfg_attr(not(all(feature = "memory", feature = "json")), doc = "```ignore")]
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use queue::{Queue, worker::{RateLimit, Router, WorkQueue}};
    ///
    /// let store = queue::open("memory:").await?;
    /// let emails: Queue<String> = Queue::new(store.clone(), "emails")?;
    /// let reports: Queue<u32> = Queue::new(store, "reports")?;
    /// let limit = RateLimit::per_minute(30);
    /// # let router = Router::new(()).fallback(|_: u32, _| async { Ok(()) });
    /// let worker = emails
    ///     .worker(router)
    ///     .also(WorkQueue::from(&reports).weight(2).rate_limit(limit))
    ///     .build()?;
    /// # Ok(()) }
    /// ```
    pub fn worker<H>(&self, handler: H) -> WorkerBuilder
    where
        H: Handler<Context, Output = Payload, Error = JobError>,
    {
        Worker::builder(self.shared.storage.clone(), self, handler).policy(self.shared.policy.clone())
    }
}

/// The queue for a worker, by its name; the store is that of the worker.
impl<P, R> From<&Queue<P, R>> for WorkQueue {
    fn from(queue: &Queue<P, R>) -> Self {
        Self::new(queue.shared.name.clone())
    }
}
