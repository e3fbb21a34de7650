//! Limits of partitions while many claim, settle and change them.

use super::race::race;
use crate::{
    bench::prelude::*,
    cases::{
        cases,
        partitions::{at_most, limits, of, own, partitions, put_of, set, set_each},
    },
};
use queue_core::{ClaimRequest, LimitScope, NewJob};
use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
};

cases! { "concurrency":
    limits_hold_while_many_claim_and_settle [I25 I23 I15] (Partitions);
    limits_hold_while_they_change [I25 I15] (Partitions);
    claims_at_once_have_a_share_each [I25] (Partitions);
}

const WORKERS: usize = 8;
const PARTITIONS: [&str; 5] = ["a", "b", "c", "d", "e"];
const EACH: usize = 30;
const ALL: usize = PARTITIONS.len() * EACH;
/// More rounds than any run takes.
const ROUNDS_MAX: usize = 100_000;

async fn put_all(bench: &Bench) {
    let jobs = |partition: &&str| (0..EACH).map(|number| of(partition, number)).collect();
    bench.enqueue_groups(PARTITIONS.iter().map(jobs).collect::<Vec<Vec<NewJob>>>()).await;
}

/// Claims and ends what it gets in each way in turn, until all workers together have completed all.
/// Between two steps it looks whether a limit is broken.
async fn work(bench: Bench, number: usize, done: Arc<AtomicUsize>, most: u64) -> Vec<String> {
    let mut completed = Vec::new();
    for round in 0..ROUNDS_MAX {
        if done.load(SeqCst) == ALL {
            return completed;
        }
        let name = format!("worker-{number}");
        let claimed = bench.send(bench.request_of(&name, 1 + number % 4, LEASE)).await.jobs;
        for status in partitions(&bench).await {
            assert!(status.leases <= most, "{status:?}");
        }
        for (nth, held) in claimed.iter().enumerate() {
            if (round + nth) % 5 == 0 {
                bench.release(held).await;
            } else {
                bench.complete(held).await;
                completed.push(held.record.meta.id.to_string());
                done.fetch_add(1, SeqCst);
            }
        }
        tokio::task::yield_now().await;
    }
    panic!("jobs are left that no claim gets");
}

async fn limits_hold_while_many_claim_and_settle(bench: &Bench) {
    set_each(bench, 2).await;
    set(bench, own("a"), at_most(1)).await;
    put_all(bench).await;
    let done = Arc::new(AtomicUsize::new(0));
    let ran = race(bench, WORKERS, |bench, number| work(bench, number, done.clone(), 2)).await;
    let ran: Vec<String> = ran.into_iter().flatten().collect();
    assert_eq!((ran.len(), ran.iter().collect::<BTreeSet<_>>().len()), (ALL, ALL));
}

async fn limits_hold_while_they_change(bench: &Bench) {
    set_each(bench, 1).await;
    put_all(bench).await;
    let done = Arc::new(AtomicUsize::new(0));
    race(bench, WORKERS, |bench, number| {
        let done = done.clone();
        async move {
            if number > 0 {
                return drop(work(bench, number, done, 4).await);
            }
            for round in 0..ROUNDS_MAX {
                if done.load(SeqCst) == ALL {
                    return;
                }
                set_each(&bench, [4, 0, 1, 3][round % 4]).await;
                let limit = [Some(at_most(2)), None][round % 2];
                set(&bench, own("b"), limit).await;
                tokio::task::yield_now().await;
            }
            panic!("jobs are left that no claim gets");
        }
    })
    .await;
    assert!(limits(bench).await.iter().any(|(scope, _)| *scope == LimitScope::EachPartition));
}

/// Also where the store merges claims into one.
async fn claims_at_once_have_a_share_each(bench: &Bench) {
    set_each(bench, 100).await;
    put_of(bench, "a", 40).await;
    let claimed = race(bench, WORKERS, |bench, number| async move {
        let limited_max = number % 3;
        let request = bench.request_of(&format!("worker-{number}"), 9, LEASE);
        (limited_max, bench.send(ClaimRequest { limited_max, ..request }).await.jobs.len())
    })
    .await;
    for (limited_max, got) in claimed {
        assert!(got <= limited_max, "{got} jobs for one that asked for {limited_max}");
    }
}
