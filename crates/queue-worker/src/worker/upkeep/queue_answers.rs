//! When the store answered about each queue, and which lapsed leases are therefore left alone.

use parking_lot::Mutex;
use queue_core::{Error, ErrorKind, JobMeta, Timestamp, asking::StoreAnswers};
use std::time::Duration;
use tokio::time::Instant;

/// The answers to claims and transitions of one worker, by the index of their queue.
#[derive(Debug)]
pub(in crate::worker) struct QueueAnswers(Vec<Mutex<StoreAnswers>>);

impl QueueAnswers {
    /// A busy worker writes a heartbeat in a third of this time. A store that stands still while
    /// leases of this length lapse stands for more than half of one.
    pub(in crate::worker) fn new(queues: usize, lease: Duration) -> Self {
        let silence_max = StoreAnswers::SILENCE_MAX.max(lease / 2);
        Self((0..queues).map(|_| Mutex::new(StoreAnswers::new(silence_max))).collect())
    }

    /// Notes an answer about these queues that has just come. Equal ones stand side by side.
    pub(in crate::worker) fn note(&self, queues: impl IntoIterator<Item = usize>, store_time: Timestamp) {
        let now = Instant::now().into_std();
        let mut noted = None;
        for queue in queues {
            if noted.replace(queue) != Some(queue) {
                self.0[queue].lock().note(now, store_time);
            }
        }
    }

    /// Notes that a call about this queue failed, if the store may stand still.
    pub(in crate::worker) fn note_failure(&self, queue: usize, error: &Error) {
        if error.kind() == ErrorKind::Unavailable {
            self.0[queue].lock().note_failure();
        }
    }

    /// Whether the store took a write of this queue so shortly ago.
    pub(super) fn are_fresh(&self, queue: usize, within: Duration) -> bool {
        self.0[queue].lock().is_fresh(Instant::now().into_std(), within)
    }

    /// Whether the lease of a job lapsed while this worker had no answer of the store.
    pub(super) fn hide(&self, queue: usize, job: &JobMeta) -> bool {
        let hides = |at| self.0[queue].lock().hide(Instant::now().into_std(), at);
        job.lease.as_ref().is_some_and(|lease| hides(lease.expires_at))
    }
}
