use parking_lot::{Mutex, MutexGuard};
use queue_core::QueueName;
use std::collections::{HashMap, HashSet};

/// Names that are remembered. Beyond it the memory starts afresh: it is only a cache.
const QUEUES_MAX: usize = 10_000;
/// The same of pairs of queue and priority.
const LANES_MAX: usize = 100_000;

/// What is known to be in the tables `queue` and `lane`, whose rows never change their meaning.
///
/// Only what a committed transaction left is remembered here. A server may lose even that, with what was not yet on a disk or a
/// standby, and its connections then; so each loss of a connection and each new one makes it forgotten.
#[derive(Debug, Default)]
pub(crate) struct Directory(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    numbers: HashMap<QueueName, i32>,
    lanes: HashSet<(i32, i16)>,
}

impl Directory {
    /// The number of a queue.
    pub(crate) fn number(&self, name: &QueueName) -> Option<i32> {
        self.lock().numbers.get(name).copied()
    }

    /// Remembers a queue.
    pub(crate) fn learn(&self, name: &QueueName, number: i32) {
        let mut known = self.lock();
        if known.numbers.len() >= QUEUES_MAX {
            known.numbers.clear();
        }
        known.numbers.insert(name.clone(), number);
    }

    /// Those of the priorities that are not known to have a lane.
    pub(crate) fn unknown_lanes(&self, queue: i32, priorities: impl Iterator<Item = i16>) -> Vec<i16> {
        let known = self.lock();
        let mut missing: Vec<i16> =
            priorities.filter(|priority| !known.lanes.contains(&(queue, *priority))).collect();
        missing.sort_unstable();
        missing.dedup();
        missing
    }

    /// Remembers lanes.
    pub(crate) fn learn_lanes(&self, queue: i32, priorities: &[i16]) {
        let mut known = self.lock();
        if known.lanes.len() >= LANES_MAX {
            known.lanes.clear();
        }
        known.lanes.extend(priorities.iter().map(|priority| (queue, *priority)));
    }

    /// Looks everything up again.
    pub(crate) fn forget(&self) {
        *self.lock() = Known::default();
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock()
    }
}
