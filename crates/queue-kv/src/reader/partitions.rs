//! Reads a page of partitions.

use crate::{
    failure::KvResult,
    keys::{self, Family},
    values,
    view::View,
};
use queue_core::{
    LimitInForce, Partition, PartitionPage, PartitionQuery, PartitionStatus, QueueName, Timestamp,
};
use std::collections::BTreeMap;

impl View<'_> {
    /// One page of the partitions of a queue.
    pub(crate) fn partitions(&self, query: &PartitionQuery) -> KvResult<PartitionPage> {
        let queue = &query.queue;
        let mut range = keys::all(Family::Partitions, queue);
        if let Some(after) = &query.after {
            range.start = keys::after(&keys::partition(queue, after));
        }
        let found = self.scan(&range, query.page_limit())?;
        let came_due = if found.is_empty() { BTreeMap::new() } else { self.came_due_by_partition(queue)? };
        let mut partitions = Vec::with_capacity(found.len());
        for (key, value) in found {
            let partition = values::partition(keys::partition_of(queue, &key))?;
            let lane = values::read_lane(&value)?;
            let LimitInForce { limit, is_own: has_own_limit } = self.limit_of(queue, Some(&partition))?;
            let ready = self.oldest_of(keys::due_of(queue, Some(&partition)))?;
            let oldest_due = ready.into_iter().chain(came_due.get(&partition).copied()).min();
            let waiting = lane.waiting.min(PartitionStatus::WAITING_MAX);
            let leases = lane.leases;
            partitions.push(PartitionStatus { partition, leases, waiting, oldest_due, limit, has_own_limit });
        }
        Ok(query.page(partitions, self.moment))
    }

    /// When the oldest job of each partition became due of those that no claim has moved since.
    fn came_due_by_partition(&self, queue: &QueueName) -> KvResult<BTreeMap<Partition, Timestamp>> {
        let mut oldest = BTreeMap::new();
        for family in [Family::Scheduled, Family::Gated] {
            self.each(keys::until(family, queue, self.now()), |(key, value)| {
                if let (_, _, Some(partition)) = values::read_scheduled(&value)? {
                    let at = keys::time_of(&key);
                    let of_partition = oldest.entry(partition).or_insert(at);
                    *of_partition = at.min(*of_partition);
                }
                Ok(())
            })?;
        }
        Ok(oldest)
    }
}
