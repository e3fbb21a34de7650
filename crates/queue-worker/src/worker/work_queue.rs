use super::{RateLimit, rate::QueueRate};
use queue_core::{Error, QueueName, Result};
use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};
use tokio::{sync::Notify, time::Instant};

/// Most queues on one worker: each is asked for by itself.
const QUEUES_MAX: usize = 100;
/// The largest weight; what counts is the proportion.
const WEIGHT_MAX: u32 = 1000;

/// A queue as a worker is to work on it. A [`QueueName`] alone is one of weight 1 without a rate limit.
///
/// ```
/// # use std::sync::Arc;
/// # use queue_core::QueueName;
/// use queue_worker::{RateLimit, Router, WorkQueue, Worker};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), queue_core::Error> {
/// # let store = Arc::new(queue_memory::MemoryStorage::new());
/// # let [urgent, normal, mail] = ["urgent", "normal", "mail"].map(QueueName::from_static);
/// let worker = Worker::builder(store, WorkQueue::new(urgent).weight(6), Router::new(()))
///     .also(WorkQueue::new(normal).weight(3))
///     .also(WorkQueue::new(mail).rate_limit(RateLimit::per_second(20)))
///     .build()?;
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkQueue {
    name: QueueName,
    weight: u32,
    rate_limit: Option<RateLimit>,
}

impl WorkQueue {
    /// With weight 1 and without a rate limit.
    pub const fn new(name: QueueName) -> Self {
        Self { name, weight: 1, rate_limit: None }
    }

    /// Its share of the worker, from 1 to 1000: while several queues have due jobs, jobs start in proportion to the
    /// weights. A queue without due jobs leaves its share to the others at once, and none has to wait for ever. Slots do
    /// not idle for it: a queue whose claims take much longer than those of the others gets less, and one whose claim takes
    /// over a tenth of a second leaves its share meanwhile.
    #[must_use]
    pub const fn weight(mut self, weight: u32) -> Self {
        self.weight = weight;
        self
    }

    /// How many of its jobs may start in a while in this worker. No more are claimed than may start, so others take what
    /// is left to them. A queue under a limit is not prefetched beyond the burst.
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

/// A queue of a worker, and what its parts tell each other about it. All runs share it, so that its rate limit holds over
/// them together.
#[derive(Debug)]
pub(crate) struct WorkedQueue {
    pub(crate) name: QueueName,
    pub(crate) weight: u32,
    pub(crate) rate: Option<Arc<QueueRate>>,
    paused: AtomicBool,
}

impl WorkedQueue {
    /// Checks the queues of a worker, all together. `rate_freed` is told when a start under a rate limit ends its
    /// reservation.
    pub(super) fn check_all(queues: Vec<WorkQueue>, rate_freed: &Arc<Notify>) -> Result<Vec<Arc<Self>>> {
        if queues.len() > QUEUES_MAX {
            return Err(invalid(format!("a worker has at most {QUEUES_MAX} queues")));
        }
        let mut names = BTreeSet::new();
        for queue in &queues {
            if !names.insert(&queue.name) {
                return Err(invalid(format!("the queue {:?} stands twice in a worker", queue.name)));
            }
            if !(1..=WEIGHT_MAX).contains(&queue.weight) {
                let message =
                    format!("the weight of the queue {:?} must be from 1 to {WEIGHT_MAX}", queue.name);
                return Err(invalid(message));
            }
            queue.rate_limit.as_ref().map_or(Ok(()), RateLimit::check)?;
        }
        let now = Instant::now();
        Ok(queues.into_iter().map(|queue| Arc::new(Self::new(queue, rate_freed, now))).collect())
    }

    fn new(queue: WorkQueue, rate_freed: &Arc<Notify>, now: Instant) -> Self {
        let rate = queue.rate_limit.map(|limit| Arc::new(QueueRate::new(&limit, rate_freed.clone(), now)));
        Self { name: queue.name, weight: queue.weight, rate, paused: AtomicBool::new(false) }
    }

    /// As the last claim saw it.
    pub(crate) fn is_paused(&self) -> bool {
        self.paused.load(Ordering::Relaxed)
    }

    pub(crate) fn set_paused(&self, paused: bool) {
        self.paused.store(paused, Ordering::Relaxed);
    }
}

fn invalid(message: String) -> Error {
    Error::invalid("build worker", message)
}
