//! The observations of handlers in the demonstration: how many tasks were leased, and how often
//! each ran.

use super::TaskQueue;
use parking_lot::Mutex;
use queue::{JobId, State, worker::JobError};
use std::{
    collections::HashMap,
    sync::atomic::{AtomicU64, Ordering},
};

/// What handlers of the demonstration see of their queue.
#[derive(Debug)]
pub(super) struct Probe {
    tasks: TaskQueue,
    most_leased: AtomicU64,
    runs: Mutex<HashMap<JobId, u32>>,
}

impl Probe {
    pub(super) fn new(tasks: TaskQueue) -> Self {
        Self { tasks, most_leased: AtomicU64::new(0), runs: Mutex::default() }
    }

    /// Called by every handler while it runs.
    pub(super) async fn look(&self, id: &JobId) -> Result<(), JobError> {
        let leased = self.tasks.counts().await?.of(State::Processing);
        self.most_leased.fetch_max(leased, Ordering::SeqCst);
        *self.runs.lock().entry(id.clone()).or_default() += 1;
        Ok(())
    }

    /// The most tasks that were leased at once, as far as any handler saw.
    pub(super) fn most_leased(&self) -> u64 {
        self.most_leased.load(Ordering::SeqCst)
    }

    /// How many tasks ran exactly once, and how many more often.
    pub(super) fn once_and_more(&self) -> (usize, usize) {
        let runs = self.runs.lock();
        let once = runs.values().filter(|runs| **runs == 1).count();
        (once, runs.len() - once)
    }
}
