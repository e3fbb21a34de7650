//! Partitions stand where their jobs, leases and limits put them (I25).

use crate::{
    failure::KvResult,
    keys::{self, Family},
    values::{self, Lane},
    view::View,
};
use queue_core::{JobMeta, LimitScope, Partition, QueueName, State, lifecycle::Opening};
use std::collections::{BTreeMap, BTreeSet};

/// The waiting and leased jobs of partitions, counted from records.
#[derive(Default)]
pub(super) struct CountedJobs(BTreeMap<(QueueName, Partition), (u64, u64)>);

impl CountedJobs {
    pub(super) fn add(&mut self, meta: &JobMeta) {
        let (is_leased, is_waiting) = (meta.state == State::Processing, meta.state.is_waiting());
        if let Some(partition) = meta.partition.as_ref().filter(|_| is_leased || is_waiting) {
            let (leases, waiting) = self.0.entry((meta.queue.clone(), partition.clone())).or_default();
            *leases += u64::from(is_leased);
            *waiting += u64::from(is_waiting);
        }
    }

    /// The partitions that no record of a partition accounted for.
    pub(super) fn findings(self) -> impl Iterator<Item = String> {
        self.0.into_keys().map(|(queue, key)| format!("partition {key:?} of queue {queue:?} has no record"))
    }
}

impl View<'_> {
    /// What is wrong with the partitions of a queue. Takes their jobs out of the counted ones.
    pub(super) fn contradictory_partitions(
        &self,
        queue: &QueueName,
        jobs: &mut CountedJobs,
    ) -> KvResult<Vec<String>> {
        let mut findings = Vec::new();
        let mut expected = BTreeSet::new();
        let mut partitions = BTreeSet::new();
        self.each(keys::all(Family::Partitions, queue), |(key, value)| {
            let partition = values::partition(keys::partition_of(queue, &key))?;
            let lane = values::read_lane(&value)?;
            let counted = jobs.0.remove(&(queue.clone(), partition.clone())).unwrap_or_default();
            for broken in self.broken_rules(queue, &partition, &lane, counted)? {
                findings.push(format!("partition {partition:?} of queue {queue:?} {broken}"));
            }
            expected.extend(lane.place.map(|place| keys::front(queue, place, Some(&partition))));
            partitions.insert(partition);
            Ok(())
        })?;
        let limits = self.limits(queue)?;
        let without = limits.iter().filter(|(scope, _)| match scope {
            LimitScope::Partition(partition) => !partitions.contains(partition),
            _ => false,
        });
        findings.extend(without.map(|(scope, _)| format!("{scope:?} of queue {queue:?} has no record")));
        expected.extend(self.turns(queue)?.line.map(|place| keys::front(queue, place, None)));
        for is_limited in [false, true] {
            self.each(keys::fronts(queue, is_limited), |(key, _)| {
                if !expected.remove(&key) {
                    findings.push(format!("no partition accounts for {key:?}"));
                }
                Ok(())
            })?;
        }
        findings.extend(expected.iter().map(|key| format!("a partition lacks its front {key:?}")));
        let has_any = !partitions.is_empty() || !limits.is_empty();
        if self.pauses(queue)?.1.partitions != has_any {
            findings.push(format!("queue {queue:?} is wrong about having partitions"));
        }
        if !has_any && self.get(&keys::of_queue_alone(Family::Turns, queue))?.is_some() {
            findings.push(format!("queue {queue:?} has turns and no partitions"));
        }
        Ok(findings)
    }

    fn broken_rules(
        &self,
        queue: &QueueName,
        partition: &Partition,
        lane: &Lane,
        (leases, waiting): (u64, u64),
    ) -> KvResult<impl Iterator<Item = &'static str>> {
        let in_force = self.limit_of(queue, Some(partition))?;
        let next = self.next_of(queue, Some(partition))?.map(|(entry, _)| keys::priority_of(&entry));
        let opening = Opening::of(next, lane.leases, &in_force.limit);
        let rules = [
            (lane.leases == leases, "has another number of leases than its jobs"),
            (lane.waiting == waiting, "has another number of waiting jobs than there are"),
            (in_force.keeps(leases, waiting), "is kept for nothing"),
            (lane.place.map(|place| place.opening) == opening, "does not stand where its jobs put it"),
        ];
        Ok(rules.into_iter().filter(|(holds, _)| !holds).map(|(_, broken)| broken))
    }
}
