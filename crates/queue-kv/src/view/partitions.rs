//! What partitions and their turns are read by.

use super::View;
use crate::{
    KvEntry,
    failure::{KvFailure, KvResult},
    keys::{self, Family},
    values::{self, Lane, Turns},
};
use queue_core::{
    Limit, LimitInForce, LimitScope, Partition, QueueName, Timestamp,
    lifecycle::{PartitionFront, Turn},
};

impl View<'_> {
    /// The record of a partition; one without a record has no job.
    pub(crate) fn lane(&self, queue: &QueueName, partition: &Partition) -> KvResult<Option<Lane>> {
        let bytes = self.get(&keys::partition(queue, partition))?;
        bytes.map(|bytes| values::read_lane(&bytes)).transpose()
    }

    /// The turns of a queue.
    pub(crate) fn turns(&self, queue: &QueueName) -> KvResult<Turns> {
        let bytes = self.get(&keys::of_queue_alone(Family::Turns, queue))?;
        Ok(bytes.map(|bytes| values::read_turns(&bytes)).transpose()?.unwrap_or_default())
    }

    /// The limit in force of a partition, or of the jobs without one.
    pub(crate) fn limit_of(
        &self,
        queue: &QueueName,
        partition: Option<&Partition>,
    ) -> KvResult<LimitInForce> {
        LimitInForce::find(partition, |scope| self.limit(queue, scope))
    }

    fn limit(&self, queue: &QueueName, scope: &LimitScope) -> KvResult<Option<Limit>> {
        let Some(key) = keys::limit(queue, scope) else { return Ok(None) };
        self.get(&key)?.map(|bytes| values::read_limit(&bytes)).transpose()
    }

    /// The limits of a queue, in the order of their scopes.
    pub(crate) fn limits(&self, queue: &QueueName) -> KvResult<Vec<(LimitScope, Limit)>> {
        let mut limits = Vec::new();
        self.each(keys::all(Family::Limits, queue), |(key, value)| {
            let scope = keys::scope_of(queue, &key);
            let scope = scope.ok_or_else(|| KvFailure::corrupt("a limit is of no scope"))?;
            limits.push((scope, values::read_limit(&value)?));
            Ok(())
        })?;
        Ok(limits)
    }

    /// The entry of the next job of a partition, or of those without one.
    pub(crate) fn next_of(
        &self,
        queue: &QueueName,
        partition: Option<&Partition>,
    ) -> KvResult<Option<KvEntry>> {
        Ok(self.scan(&keys::due_of(queue, partition), 1)?.pop())
    }

    /// The one whose job is next, of those with a limit only if they are asked for.
    pub(crate) fn first_front(
        &self,
        queue: &QueueName,
        with_limited: bool,
    ) -> KvResult<Option<PartitionFront>> {
        let mut firsts = self.fronts(queue, false, 1)?;
        if with_limited {
            firsts.extend(self.fronts(queue, true, 1)?);
        }
        Ok(firsts.into_iter().min())
    }

    /// Whether a partition with a limit has a job to give and a slot.
    pub(crate) fn has_limited_front(&self, queue: &QueueName) -> KvResult<bool> {
        Ok(!self.scan(&keys::fronts(queue, true), 1)?.is_empty())
    }

    /// The lowest turn of those whose next job has this priority.
    pub(crate) fn lowest_turn(&self, queue: &QueueName, priority: i16) -> KvResult<Option<Turn>> {
        let mut lowest = None;
        for is_limited in [false, true] {
            let range = keys::fronts_of_priority(queue, is_limited, priority);
            for (key, _) in self.scan(&range, 1)? {
                lowest = lowest.into_iter().chain([front(queue, &key, is_limited)?.turn]).min();
            }
        }
        Ok(lowest)
    }

    /// When the next job became due of a partition that has one to give and a slot.
    pub(crate) fn due_to_give(&self, queue: &QueueName) -> KvResult<Option<Timestamp>> {
        // One of the first two may be the front of the jobs without a partition.
        let mut fronts = self.fronts(queue, false, 2)?;
        fronts.extend(self.fronts(queue, true, 1)?);
        let Some(partition) = fronts.into_iter().find_map(|front| front.partition) else { return Ok(None) };
        Ok(self.next_of(queue, Some(&partition))?.map(|(entry, _)| keys::time_of(&entry)))
    }

    fn fronts(&self, queue: &QueueName, is_limited: bool, limit: usize) -> KvResult<Vec<PartitionFront>> {
        let found = self.scan(&keys::fronts(queue, is_limited), limit)?;
        found.iter().map(|(key, _)| front(queue, key, is_limited)).collect()
    }
}

fn front(queue: &QueueName, key: &[u8], is_limited: bool) -> KvResult<PartitionFront> {
    let parts = keys::front_of(queue, key);
    let (priority, turn, partition) = parts.ok_or_else(|| KvFailure::corrupt("a front has no turn"))?;
    Ok(PartitionFront { priority, turn, partition: values::partition_if_any(partition)?, is_limited })
}
