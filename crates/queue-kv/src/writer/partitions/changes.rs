//! What a transaction changes of partitions, until it is written.

use crate::values::Turns;
use queue_core::{JobMeta, Partition, QueueName, State};
use std::collections::BTreeMap;

/// Changes of partitions, by queue and key, and the turns of the queues that were looked at.
#[derive(Debug, Default)]
pub(in super::super) struct PartitionChanges {
    by_key: BTreeMap<(QueueName, Partition), PartitionChange>,
    /// With whether they are to be written.
    pub(super) turns: BTreeMap<QueueName, (Turns, bool)>,
}

/// What a transaction changed of one partition.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PartitionChange {
    pub(super) leases: i64,
    pub(super) waiting: i64,
    /// Its due jobs, or its limit, may be others, or it took its turn.
    pub(super) is_moved: bool,
}

impl PartitionChange {
    pub(super) fn is_any(self) -> bool {
        self.is_moved || self.leases != 0 || self.waiting != 0
    }
}

impl PartitionChanges {
    /// Counts a job in or out, if it has a partition.
    pub(in super::super) fn count(&mut self, meta: &JobMeta, jobs: i64) {
        let Some(partition) = &meta.partition else { return };
        let is_leased = meta.state == State::Processing;
        if is_leased || meta.state.is_waiting() {
            let change = self.of(&meta.queue, partition);
            let counter = if is_leased { &mut change.leases } else { &mut change.waiting };
            *counter += jobs;
        }
    }

    /// The due jobs of a partition, or its limit, change.
    pub(super) fn moves(&mut self, queue: &QueueName, partition: &Partition) {
        self.of(queue, partition).is_moved = true;
    }

    /// Takes the change of one partition.
    pub(super) fn take(&mut self, queue: &QueueName, partition: &Partition) -> PartitionChange {
        self.by_key.remove(&(queue.clone(), partition.clone())).unwrap_or_default()
    }

    /// Takes the next change of any.
    pub(super) fn pop(&mut self) -> Option<((QueueName, Partition), PartitionChange)> {
        self.by_key.pop_first()
    }

    fn of(&mut self, queue: &QueueName, partition: &Partition) -> &mut PartitionChange {
        self.by_key.entry((queue.clone(), partition.clone())).or_default()
    }
}
