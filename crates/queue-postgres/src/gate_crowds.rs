//! At which gates so much waits for a fold that reads of them become slow, as the calls of a handle
//! have seen.

use parking_lot::Mutex;
use queue_core::QueueName;
use std::collections::{BTreeMap, BTreeSet};

/// The jobs of these gates, by queue. What is forgotten, or noted by a call that is rolled back,
/// costs time alone: a claim folds what came to any gate.
#[derive(Debug, Default)]
pub(crate) struct GateCrowds(Mutex<BTreeMap<QueueName, BTreeSet<i64>>>);

impl GateCrowds {
    /// Notes a gate.
    pub(crate) fn note(&self, queue: &QueueName, target: i64) {
        self.0.lock().entry(queue.clone()).or_default().insert(target);
    }

    /// What was noted since it was last taken.
    pub(crate) fn take(&self) -> BTreeMap<QueueName, BTreeSet<i64>> {
        std::mem::take(&mut self.0.lock())
    }
}
