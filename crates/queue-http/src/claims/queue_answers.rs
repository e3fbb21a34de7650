//! When the store answered about each queue, and which lapsed leases are therefore left alone: a
//! job that is done must not run again because the store stood still for longer than a lease.
//!
//! Each server judges by its own calls. One memory a queue, since the queues of a cluster may be
//! on servers of which one stands still.

use parking_lot::Mutex;
use queue_core::{Error, ErrorKind, JobMeta, QueueName, Timestamp, asking::StoreAnswers};
use std::{collections::HashMap, time::Duration};
use tokio::time::Instant;

/// The most queues that are remembered. Beyond that one is forgotten, and what lapses in it waits
/// as after a start.
const QUEUES_MAX: usize = 10_000;
/// No lease is ended unless the store took a write of the queue so shortly before. It may answer
/// reads while it takes no writes.
const FRESH: Duration = Duration::from_secs(1);

/// The answers to claims and outcomes.
#[derive(Debug, Default)]
pub(crate) struct QueueAnswers(Mutex<HashMap<QueueName, StoreAnswers>>);

impl QueueAnswers {
    /// Notes an answer about the queue that has just come.
    pub(crate) fn note(&self, queue: &QueueName, store_time: Timestamp) {
        self.with(queue, |answers| answers.note(now(), store_time));
    }

    /// Notes that a call about the queue failed, if the store may stand still.
    pub(crate) fn note_failure(&self, queue: &QueueName, error: &Error) {
        if error.kind() == ErrorKind::Unavailable {
            self.with(queue, StoreAnswers::note_failure);
        }
    }

    pub(super) fn store_time(&self, queue: &QueueName) -> Option<Timestamp> {
        self.0.lock().get(queue)?.store_time(now())
    }

    /// Whether the store has just taken a write of the queue, and failed none since.
    pub(super) fn are_fresh(&self, queue: &QueueName) -> bool {
        self.0.lock().get(queue).is_some_and(|answers| answers.is_fresh(now(), FRESH))
    }

    /// Whether the lease of a job lapsed while this server had no answer of the store.
    pub(super) fn hide(&self, queue: &QueueName, job: &JobMeta) -> bool {
        let Some(lease) = &job.lease else { return false };
        self.0.lock().get(queue).is_some_and(|answers| answers.hide(now(), lease.expires_at))
    }

    fn with(&self, queue: &QueueName, note: impl FnOnce(&mut StoreAnswers)) {
        let mut all = self.0.lock();
        if all.len() >= QUEUES_MAX
            && !all.contains_key(queue)
            && let Some(other) = all.keys().next().cloned()
        {
            all.remove(&other);
        }
        note(all.entry(queue.clone()).or_default());
    }
}

fn now() -> std::time::Instant {
    Instant::now().into_std()
}
