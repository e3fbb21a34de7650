//! The partitions of jobs, and the limits of them.

use super::actor::{Actor, expected};
use queue_core::{Limit, LimitScope, NewJob, Partition, Storage};

/// The partitions of jobs: two have the limit of each partition, the third one of its own.
const KEYS: [Option<&str>; 5] = [None, None, Some("a"), Some("b"), Some(NARROW)];
const NARROW: &str = "narrow";
/// The partition whose limit changes while jobs run.
const CHANGING: &str = "b";

/// Gives the job one of the partitions, or none.
pub(super) fn some_partition(actor: &Actor, job: NewJob) -> NewJob {
    if !actor.has_partitions() {
        return job;
    }
    match actor.dice.pick(&KEYS) {
        Some(key) => job.with_partition(Partition::from_static(key)),
        None => job,
    }
}

/// Sets the limits. Every task that claims does so before its first claim, so that no job is leased
/// without them.
pub(super) async fn set_limits(actor: &Actor) {
    if actor.has_partitions() {
        let limits = vec![(LimitScope::EachPartition, at_most(2)), (of(NARROW), at_most(1))];
        expected(actor.insist(|| actor.store.set_limits(&actor.queue, limits.clone())).await);
    }
}

/// Changes the limit of one partition, or removes it.
pub(super) async fn change_limit(actor: &Actor) {
    let limit = actor.dice.pick(&[None, at_most(1), at_most(3)]);
    expected(actor.store.set_limits(&actor.queue, vec![(of(CHANGING), limit)]).await);
}

/// How many jobs of partitions a claim asks for at most.
pub(super) fn limited_max(actor: &Actor) -> usize {
    if actor.has_partitions() { actor.dice.pick(&[0, 1, 2, usize::MAX, usize::MAX]) } else { usize::MAX }
}

fn of(key: &'static str) -> LimitScope {
    LimitScope::Partition(Partition::from_static(key))
}

#[expect(clippy::unnecessary_wraps, reason = "a change may set a limit or remove it")]
fn at_most(running: u32) -> Option<Limit> {
    Some(Limit { running: Some(running), ..Limit::default() })
}
