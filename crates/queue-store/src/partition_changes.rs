//! What a transaction changes of partitions, until it is written.

use queue_core::{Partition, State, lifecycle::TurnPlace};
use std::collections::BTreeMap;

/// Changes of partitions, by queue and key, which a transaction collects and writes before the next
/// claim or at its end: a thousand jobs of one partition write its record once.
///
/// `Q` is how the store names a queue in its records.
///
/// ```
/// use queue_core::{Partition, State};
/// use queue_store::PartitionChanges;
///
/// let (queue, acme) = (7, Partition::from_static("acme"));
/// let mut changes = PartitionChanges::default();
/// changes.count(&queue, Some(&acme), State::Processing, -1);
/// changes.count(&queue, Some(&acme), State::Completed, 1);
/// changes.count(&queue, None, State::Queued, 1);
/// let ((_, partition), change) = changes.pop().expect("the end of a lease");
/// assert_eq!((partition, change.leases, change.waiting), (acme, -1, 0));
/// assert!(changes.pop().is_none(), "jobs without a partition are not counted");
/// ```
#[derive(Debug)]
pub struct PartitionChanges<Q>(BTreeMap<(Q, Partition), PartitionChange>);

/// What a transaction changed of one partition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PartitionChange {
    /// By how many its leases have become more.
    pub leases: i64,
    /// By how many its waiting jobs have become more, due or not.
    pub waiting: i64,
    /// Its due jobs, or its limit, may be others, or it took its turn.
    pub is_moved: bool,
}

impl PartitionChange {
    /// Whether the record of the partition is to be looked at.
    pub fn is_any(self) -> bool {
        self.is_moved || self.leases != 0 || self.waiting != 0
    }

    /// Whether the end of a lease has opened the partition, which stood at `former` and stands at
    /// `place`. No job came to wait, so claims that wait need a hint.
    pub fn opens(self, former: Option<TurnPlace>, place: Option<TurnPlace>) -> bool {
        former.is_none() && place.is_some() && self.leases < 0
    }
}

impl<Q> Default for PartitionChanges<Q> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<Q: Clone + Ord> PartitionChanges<Q> {
    /// Counts so many jobs of a state in, or out if they are less than zero.
    pub fn count(&mut self, queue: &Q, partition: Option<&Partition>, state: State, jobs: i64) {
        let Some(partition) = partition else { return };
        let is_leased = state == State::Processing;
        if is_leased || state.is_waiting() {
            let change = self.of(queue, partition);
            let counter = if is_leased { &mut change.leases } else { &mut change.waiting };
            *counter += jobs;
        }
    }

    /// The due jobs of a partition, or its limit, change.
    pub fn moves(&mut self, queue: &Q, partition: &Partition) {
        self.of(queue, partition).is_moved = true;
    }

    /// Takes the change of one partition.
    pub fn take(&mut self, queue: &Q, partition: &Partition) -> PartitionChange {
        if self.0.is_empty() {
            return PartitionChange::default();
        }
        self.0.remove(&(queue.clone(), partition.clone())).unwrap_or_default()
    }

    /// Takes the next change of any.
    pub fn pop(&mut self) -> Option<((Q, Partition), PartitionChange)> {
        self.0.pop_first()
    }

    /// Forgets all changes, as of a transaction that is rolled back.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    fn of(&mut self, queue: &Q, partition: &Partition) -> &mut PartitionChange {
        self.0.entry((queue.clone(), partition.clone())).or_default()
    }
}
