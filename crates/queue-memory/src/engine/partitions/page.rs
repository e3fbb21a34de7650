//! The listing of the partitions of a queue.

use super::{super::Engine, Lane, Partitions};
use queue_core::{Moment, Partition, PartitionPage, PartitionQuery, PartitionStatus};
use std::ops::Bound;

impl Engine {
    /// One page of the partitions of a queue.
    pub fn partitions(&mut self, query: &PartitionQuery, moment: Moment) -> PartitionPage {
        let state = self.queues.get_mut(&query.queue);
        let partitions = state.and_then(|state| {
            state.promote(moment.now);
            state.indexes.partitions.as_deref()
        });
        partitions.map_or_else(|| query.page(Vec::new(), moment), |partitions| partitions.page(query, moment))
    }
}

impl Partitions {
    fn page(&self, query: &PartitionQuery, moment: Moment) -> PartitionPage {
        let begin = query.after.as_ref().map_or(Bound::Unbounded, Bound::Excluded);
        let lanes = self.by_key.range::<Partition, _>((begin, Bound::Unbounded)).take(query.page_limit());
        let status = |(partition, lane): (&Partition, &Lane)| {
            let in_force = self.limits.of(Some(partition));
            PartitionStatus {
                partition: partition.clone(),
                leases: lane.leases,
                waiting: lane.waiting.min(PartitionStatus::WAITING_MAX),
                oldest_due: lane.oldest_due(),
                limit: in_force.limit,
                has_own_limit: in_force.is_own,
            }
        };
        query.page(lanes.map(status).collect(), moment)
    }
}
