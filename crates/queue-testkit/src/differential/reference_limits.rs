//! The limits of the reference store.

use queue_core::{
    JobMeta, Limit, LimitScope, Moment, Partition, PartitionPage, PartitionQuery, PartitionStatus, QueueName,
    Result, State,
};
use std::collections::{BTreeMap, BTreeSet};

/// The limits of queues by their scopes.
#[derive(Debug, Default)]
pub(super) struct ReferenceLimits(BTreeMap<(QueueName, LimitScope), Limit>);

/// How many jobs of each partition are leased, and may be.
#[derive(Clone, Debug)]
pub(super) struct FreeSlots {
    limits: BTreeMap<LimitScope, Limit>,
    leases: BTreeMap<Partition, u64>,
}

impl ReferenceLimits {
    /// Sets limits, unless there would be too many.
    pub(super) fn set(&mut self, queue: &QueueName, limits: Vec<(LimitScope, Option<Limit>)>) -> Result<()> {
        let mut changed = self.0.clone();
        for (scope, limit) in limits {
            match limit {
                Some(limit) => changed.insert((queue.clone(), scope), limit),
                None => changed.remove(&(queue.clone(), scope)),
            };
        }
        Limit::check_room(changed.keys().filter(|(name, _)| name == queue).count())?;
        self.0 = changed;
        Ok(())
    }

    pub(super) fn all(&self, queue: &QueueName) -> Vec<(LimitScope, Limit)> {
        let of_queue = self.0.iter().filter(|((name, _), _)| name == queue);
        of_queue.map(|((_, scope), limit)| (scope.clone(), *limit)).collect()
    }

    /// The free slots beside leases of these partitions.
    pub(super) fn free<'p>(
        &self,
        queue: &QueueName,
        of_leases: impl Iterator<Item = &'p Partition>,
    ) -> FreeSlots {
        let mut leases = BTreeMap::new();
        of_leases.for_each(|partition| *leases.entry(partition.clone()).or_default() += 1);
        FreeSlots { limits: self.all(queue).into_iter().collect(), leases }
    }

    pub(super) fn page<'m>(
        &self,
        query: &PartitionQuery,
        unfinished: impl Iterator<Item = &'m JobMeta>,
        moment: Moment,
    ) -> PartitionPage {
        let jobs: Vec<&JobMeta> = unfinished.collect();
        let slots = self.free(&query.queue, std::iter::empty());
        let own = slots.limits.keys().filter_map(|scope| match scope {
            LimitScope::Partition(partition) => Some(partition.clone()),
            _ => None,
        });
        let keys: BTreeSet<Partition> =
            own.chain(jobs.iter().filter_map(|job| job.partition.clone())).collect();
        let behind = keys.into_iter().filter(|key| query.after.as_ref().is_none_or(|after| key > after));
        let status = |partition: Partition| {
            let of_key: Vec<&&JobMeta> =
                jobs.iter().filter(|job| job.partition.as_ref() == Some(&partition)).collect();
            let due = of_key.iter().filter(|job| job.is_due(moment.now));
            let waiting = of_key.iter().filter(|job| job.state.is_waiting()).count() as u64;
            PartitionStatus {
                leases: of_key.iter().filter(|job| job.state == State::Processing).count() as u64,
                waiting: waiting.min(PartitionStatus::WAITING_MAX),
                oldest_due: due.map(|job| job.run_at).min(),
                limit: slots.limit(&partition),
                has_own_limit: slots.limits.contains_key(&LimitScope::Partition(partition.clone())),
                partition,
            }
        };
        query.page(behind.take(query.page_limit()).map(status).collect(), moment)
    }
}

impl FreeSlots {
    /// Whether a job of a partition may be leased.
    pub(super) fn has(&self, partition: Option<&Partition>) -> bool {
        partition.is_none_or(|partition| {
            self.limit(partition).has_room(self.leases.get(partition).copied().unwrap_or_default())
        })
    }

    /// Takes a slot, if there is one.
    pub(super) fn take(&mut self, partition: Option<&Partition>) -> bool {
        let is_free = self.has(partition);
        if let Some(partition) = partition.filter(|_| is_free) {
            *self.leases.entry(partition.clone()).or_default() += 1;
        }
        is_free
    }

    fn limit(&self, partition: &Partition) -> Limit {
        let own = self.limits.get(&LimitScope::Partition(partition.clone()));
        own.or_else(|| self.limits.get(&LimitScope::EachPartition)).copied().unwrap_or_default()
    }
}
