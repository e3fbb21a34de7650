//! What a transaction changes of partitions, until it is written.

use queue_core::{Partition, State};
use std::collections::BTreeMap;

/// Changes of partitions in the current transaction, by queue and key.
#[derive(Debug, Default)]
pub(in super::super) struct PartitionChanges(BTreeMap<(i64, Partition), PartitionChange>);

/// What a transaction changed of one partition.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PartitionChange {
    pub(super) leases: i64,
    pub(super) waiting: i64,
    /// Its due jobs, or its limit, may be others.
    pub(super) is_moved: bool,
}

impl PartitionChange {
    /// Whether its row is to be written.
    pub(super) fn is_any(self) -> bool {
        self.is_moved || self.leases != 0 || self.waiting != 0
    }
}

impl PartitionChanges {
    /// Counts a job of this state in or out.
    pub(in super::super) fn count(&mut self, queue: i64, partition: &Partition, state: State, jobs: i64) {
        let is_leased = state == State::Processing;
        if is_leased || state.is_waiting() {
            let change = self.of(queue, partition);
            let counter = if is_leased { &mut change.leases } else { &mut change.waiting };
            *counter += jobs;
        }
    }

    /// The due jobs of a partition, or its limit, change.
    pub(in super::super) fn moves(&mut self, queue: i64, partition: &Partition) {
        self.of(queue, partition).is_moved = true;
    }

    pub(in super::super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Takes the change of one partition.
    pub(super) fn take(&mut self, queue: i64, partition: &Partition) -> PartitionChange {
        if self.0.is_empty() {
            return PartitionChange::default();
        }
        self.0.remove(&(queue, partition.clone())).unwrap_or_default()
    }

    /// Takes the next change of any.
    pub(super) fn pop(&mut self) -> Option<((i64, Partition), PartitionChange)> {
        self.0.pop_first()
    }

    fn of(&mut self, queue: i64, partition: &Partition) -> &mut PartitionChange {
        self.0.entry((queue, partition.clone())).or_default()
    }
}
