//! Queues whose calls the store failed. Workers send outcomes again, so the lapsed leases of these
//! queues are left alone for a while: a job that is done must not run again because the store stood
//! still for longer than a lease.
//!
//! Each server knows its own calls. [`StoreAnswers`] is about servers that made none.

use parking_lot::Mutex;
use queue_core::{QueueName, asking::StoreAnswers};
use std::{collections::HashMap, time::Duration};
use tokio::time::Instant;

/// How long a queue is left alone.
const RESENT_WITHIN: Duration = StoreAnswers::RESENT_WITHIN;
/// The most queues that are remembered. Beyond that they are forgotten, and rescues come early.
const QUEUES_MAX: usize = 10_000;

/// When the store last failed an outcome or a claim of each queue.
#[derive(Debug, Default)]
pub(crate) struct Unsettled(Mutex<HashMap<QueueName, Instant>>);

impl Unsettled {
    /// Notes that the store failed calls of these queues now.
    pub(crate) fn note(&self, queues: Vec<QueueName>) {
        let now = Instant::now();
        let mut failed = self.0.lock();
        failed.retain(|_, at| now < *at + RESENT_WITHIN);
        if failed.len() + queues.len() > QUEUES_MAX {
            failed.clear();
        }
        failed.extend(queues.into_iter().map(|queue| (queue, now)));
    }

    /// Whether outcomes of the queue may be on their way again.
    pub(super) fn are_awaited(&self, queue: &QueueName) -> bool {
        self.0.lock().get(queue).is_some_and(|at| at.elapsed() < RESENT_WITHIN)
    }
}
