//! Partitions: how many jobs of one are leased at once, and how they take turns.

pub(super) mod kept;
pub(super) mod limits;
pub(super) mod listed;
pub(super) mod passed_over;
pub(super) mod slots;
pub(super) mod turns;
pub(super) mod walks;

use crate::bench::prelude::*;
use queue_core::{ClaimedJob, Limit, LimitScope, NewJob, Partition, PartitionQuery, PartitionStatus, State};
use std::collections::BTreeMap;

pub(super) fn key(text: &str) -> Partition {
    Partition::new(text).expect("a valid partition")
}

/// A job of a partition, whose id begins with its key.
pub(super) fn of(partition: &str, number: usize) -> NewJob {
    job(&format!("{partition}{number}")).with_partition(key(partition))
}

/// Enqueues jobs number `0..count` of a partition, in one call.
pub(super) async fn put_of(bench: &Bench, partition: &str, count: usize) {
    put_from(bench, partition, 0, count).await;
}

pub(super) async fn put_from(bench: &Bench, partition: &str, first: usize, count: usize) {
    let jobs: Vec<NewJob> = (first..first + count).map(|number| of(partition, number)).collect();
    let answers = bench.enqueue_groups(vec![jobs]).await;
    assert!(answers[0].iter().all(queue_core::Enqueued::is_new));
}

pub(crate) fn at_most(running: u32) -> Limit {
    Limit { running: Some(running), ..Limit::default() }
}

pub(super) fn weighing(weight: u16) -> Limit {
    Limit { weight, ..Limit::default() }
}

pub(crate) fn own(partition: &str) -> LimitScope {
    LimitScope::Partition(key(partition))
}

pub(crate) async fn set(bench: &Bench, scope: LimitScope, limit: impl Into<Option<Limit>>) {
    let change = vec![(scope, limit.into())];
    bench.store().set_limits(bench.queue(), change).await.expect("it sets limits");
}

/// Sets the limit of each partition.
pub(crate) async fn set_each(bench: &Bench, running: u32) {
    set(bench, LimitScope::EachPartition, at_most(running)).await;
}

pub(super) async fn limits(bench: &Bench) -> Vec<(LimitScope, Limit)> {
    bench.store().limits(bench.queue()).await.expect("it answers limits")
}

pub(super) async fn partitions(bench: &Bench) -> Vec<PartitionStatus> {
    let query = PartitionQuery::all(bench.queue().clone(), PartitionQuery::LIMIT_MAX);
    bench.store().partitions(query).await.expect("it lists partitions").partitions
}

pub(super) async fn status(bench: &Bench, partition: &str) -> Option<PartitionStatus> {
    partitions(bench).await.into_iter().find(|status| status.partition == key(partition))
}

/// How many of its jobs are leased, and how many wait.
pub(super) async fn numbers(bench: &Bench, partition: &str) -> (u64, u64) {
    status(bench, partition).await.map_or((0, 0), |status| (status.leases, status.waiting))
}

/// How many jobs of each partition there are among claimed ones; those without one count as "".
pub(super) fn shares(claimed: &[ClaimedJob]) -> BTreeMap<String, usize> {
    let mut shares = BTreeMap::new();
    for job in claimed {
        let partition = job.record.meta.partition.as_ref().map_or("", Partition::as_str);
        *shares.entry(partition.to_owned()).or_default() += 1;
    }
    shares
}

/// Asserts that these are the shares.
macro_rules! assert_shares {
    ($claimed:expr, $([$partition:literal, $count:expr]),*) => {
        let expected: std::collections::BTreeMap<String, usize> =
            [$(($partition.to_owned(), $count)),*].into();
        assert_eq!($crate::cases::partitions::shares(&$claimed), expected);
    };
}
pub(super) use assert_shares;

/// Claims one job and completes it; the answer is its id.
pub(super) async fn run_one(bench: &Bench) -> String {
    let held = bench.claim_one().await;
    bench.complete(&held).await;
    held.record.meta.id.to_string()
}

/// Asserts that the partitions of a queue follow from its jobs, with their numbers (I25).
pub(crate) async fn assert_adds_up(bench: &Bench, jobs: &[queue_core::JobMeta]) {
    let mut expected: BTreeMap<Partition, (u64, u64)> = BTreeMap::new();
    for job in jobs {
        let Some(partition) = job.partition.clone() else { continue };
        let (leases, waiting) = (job.state == State::Processing, job.state.is_waiting());
        if leases || waiting {
            let of_key = expected.entry(partition).or_default();
            of_key.0 += u64::from(leases);
            of_key.1 += u64::from(waiting);
        }
    }
    let mut found = BTreeMap::new();
    for status in partitions(bench).await {
        let numbers = (status.leases, status.waiting);
        assert!(numbers != (0, 0) || status.has_own_limit, "{status:?} is listed for nothing");
        if numbers != (0, 0) {
            found.insert(status.partition, numbers);
        }
    }
    for (_, waiting) in expected.values_mut() {
        *waiting = (*waiting).min(PartitionStatus::WAITING_MAX);
    }
    if expected.len() < PartitionQuery::LIMIT_MAX {
        assert_eq!(found, expected, "the leases and the waiting jobs of each partition");
    }
}
