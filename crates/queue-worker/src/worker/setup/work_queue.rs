//! A queue, with its weight and its rate limit, as a program asks for it.

use crate::worker::rate::RateLimit;
use queue_core::QueueName;

/// A queue as a worker is to work on it. A [`QueueName`] alone stands for the queue with weight 1
/// and without a rate limit.
///
/// ```
/// # use std::sync::Arc;
/// # use queue_core::QueueName;
/// use queue_worker::{RateLimit, Router, WorkQueue, Worker};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), queue_core::Error> {
/// # let store = Arc::new(queue_memory::MemoryStorage::new());
/// # let [urgent, normal, mail] = ["urgent", "normal", "mail"].map(QueueName::from_static);
/// # let router = Router::new(()).fallback(|_: u32, _| async { Ok(()) });
/// let worker = Worker::builder(store, WorkQueue::new(urgent).weight(6), router)
///     .also(WorkQueue::new(normal).weight(3))
///     .also(WorkQueue::new(mail).rate_limit(RateLimit::per_second(20)))
///     .build()?;
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkQueue {
    pub(super) name: QueueName,
    pub(super) weight: u32,
    pub(super) rate_limit: Option<RateLimit>,
}

impl WorkQueue {
    /// The queue with weight 1 and without a rate limit.
    pub const fn new(name: QueueName) -> Self {
        Self { name, weight: 1, rate_limit: None }
    }

    /// The queue's share of the worker, from 1 to 1000. While several queues have due jobs, jobs
    /// start in proportion to the weights. A queue without due jobs leaves its share to the others
    /// at once, and none has to wait for ever. Slots do not idle for the sake of shares: a queue
    /// whose claims take much longer than the claims of the others gets less, and a queue whose
    /// claim takes over a tenth of a second leaves its share to others meanwhile.
    #[must_use]
    pub const fn weight(mut self, weight: u32) -> Self {
        self.weight = weight;
        self
    }

    /// How many jobs of the queue may start in a while in this worker. No more are claimed than may
    /// start, so that other workers can claim the rest. A queue under a limit is not prefetched
    /// beyond the burst.
    #[must_use]
    pub const fn rate_limit(mut self, limit: RateLimit) -> Self {
        self.rate_limit = Some(limit);
        self
    }
}

impl From<QueueName> for WorkQueue {
    fn from(name: QueueName) -> Self {
        Self::new(name)
    }
}

impl From<&QueueName> for WorkQueue {
    fn from(name: &QueueName) -> Self {
        Self::new(name.clone())
    }
}
