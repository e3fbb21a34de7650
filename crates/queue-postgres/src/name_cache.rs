//! The numbers of queues and the priorities in use, as this handle remembers them.

use parking_lot::{Mutex, MutexGuard};
use queue_core::QueueName;
use std::collections::{HashMap, HashSet};

/// Names that are remembered. Beyond that number the memory starts afresh, being only a cache.
const QUEUES_MAX: usize = 10_000;
/// Pairs of queue and priority that are remembered, in the same way.
const LANES_MAX: usize = 100_000;

/// What is known to be in the tables `queue` and `lane`, whose rows never change their meaning.
///
/// Only what a committed transaction left is remembered here. A server may lose even that, with
/// what was not yet on a disk or a standby, and its connections with it; so each loss of a
/// connection and each new one empties the cache.
#[derive(Debug, Default)]
pub(crate) struct NameCache(Mutex<CachedNames>);

#[derive(Debug, Default)]
struct CachedNames {
    numbers: HashMap<QueueName, i32>,
    lanes: HashSet<(i32, i16)>,
    with_gates: HashSet<i32>,
    with_partitions: HashSet<i32>,
}

impl NameCache {
    /// The number of a queue.
    pub(crate) fn number(&self, name: &QueueName) -> Option<i32> {
        self.lock().numbers.get(name).copied()
    }

    /// The number of a queue, if all these priorities are known to have a lane.
    pub(crate) fn queue_with_lanes(&self, name: &QueueName, priorities: &[i16]) -> Option<i32> {
        let cached = self.lock();
        let queue = cached.numbers.get(name).copied()?;
        priorities.iter().all(|priority| cached.lanes.contains(&(queue, *priority))).then_some(queue)
    }

    /// Remembers a queue.
    pub(crate) fn learn(&self, name: &QueueName, number: i32) {
        let mut cached = self.lock();
        if cached.numbers.len() >= QUEUES_MAX {
            cached.numbers.clear();
        }
        cached.numbers.insert(name.clone(), number);
    }

    /// The priorities that are not known to have a lane, each once.
    pub(crate) fn unknown_lanes(&self, queue: i32, priorities: &[i16]) -> Vec<i16> {
        let cached = self.lock();
        let is_unknown = |priority: &i16| !cached.lanes.contains(&(queue, *priority));
        let mut missing: Vec<i16> = priorities.iter().copied().filter(is_unknown).collect();
        missing.sort_unstable();
        missing.dedup();
        missing
    }

    /// Remembers lanes.
    pub(crate) fn learn_lanes(&self, queue: i32, priorities: &[i16]) {
        let mut cached = self.lock();
        if cached.lanes.len() >= LANES_MAX {
            cached.lanes.clear();
        }
        cached.lanes.extend(priorities.iter().map(|priority| (queue, *priority)));
    }

    /// Whether a queue is marked as one that has gates.
    pub(crate) fn has_gates(&self, queue: i32) -> bool {
        self.lock().with_gates.contains(&queue)
    }

    /// Remembers a queue with gates.
    pub(crate) fn learn_gates(&self, queue: i32) {
        let mut cached = self.lock();
        if cached.with_gates.len() >= QUEUES_MAX {
            cached.with_gates.clear();
        }
        cached.with_gates.insert(queue);
    }

    /// Whether a queue is marked as one that has partitions or limits.
    pub(crate) fn has_partitions(&self, queue: i32) -> bool {
        self.lock().with_partitions.contains(&queue)
    }

    /// Remembers a queue with partitions or limits.
    pub(crate) fn learn_partitions(&self, queue: i32) {
        let mut cached = self.lock();
        if cached.with_partitions.len() >= QUEUES_MAX {
            cached.with_partitions.clear();
        }
        cached.with_partitions.insert(queue);
    }

    /// Empties the cache.
    pub(crate) fn forget(&self) {
        *self.lock() = CachedNames::default();
    }

    fn lock(&self) -> MutexGuard<'_, CachedNames> {
        self.0.lock()
    }
}
