use crate::Queue;
use queue_core::Payload;
use queue_worker::{Context, JobError, WorkQueue, Worker, WorkerBuilder, runtime::Handler};

impl<P, R> Queue<P, R> {
    /// A worker for the jobs of this queue, with the policy of this handle. The handler is most often a
    /// [`Router`](crate::worker::Router).
    ///
    /// It can work on other queues of the same store too, each with a weight and a rate limit if it is to have one:
    #[cfg_attr(all(feature = "memory", feature = "json"), doc = "```")]
    #[cfg_attr(not(all(feature = "memory", feature = "json")), doc = "```ignore")]
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use queue::{Queue, worker::{RateLimit, Router, WorkQueue}};
    ///
    /// let store = queue::open("memory:").await?;
    /// let emails: Queue<String> = Queue::new(store.clone(), "emails")?;
    /// let reports: Queue<u32> = Queue::new(store, "reports")?;
    /// let limit = RateLimit::per_minute(30);
    /// let worker = emails
    ///     .worker(Router::new(()))
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

/// The queue as a worker is to work on it, by name: the store is the worker's.
impl<P, R> From<&Queue<P, R>> for WorkQueue {
    fn from(queue: &Queue<P, R>) -> Self {
        Self::new(queue.shared.name.clone())
    }
}
