//! Races of claims.

use super::{ROUNDS, race};
use crate::bench::prelude::*;
use crate::cases::cases;
use queue_core::{Prune, State};
use std::{
    collections::HashSet,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
};
use tokio::task::JoinSet;

const PRODUCERS: usize = 6;
const WORKERS: usize = 6;
const EACH: usize = 50;
const LARGE_ROUNDS: usize = 10;
const BACKLOG: usize = 200;
const QUEUES: usize = 8;
const HERD: usize = 30;

cases! { "concurrency":
    claims_are_disjoint_and_complete [I3 I23];
    single_claims_of_many_workers_are_disjoint [I3];
    producers_and_workers_run_every_job_once [I1 I3 I20 I23];
    queues_do_not_disturb_each_other [I16];
}

/// Claims until a claim finds nothing.
async fn claim_all(bench: Bench, limit: usize) -> Vec<String> {
    let mut seen = Vec::new();
    for _ in 0..=BACKLOG {
        let batch = bench.claim_ids(limit).await;
        if batch.is_empty() {
            return seen;
        }
        seen.extend(batch);
    }
    panic!("more jobs were given than there are");
}

/// No job is leased twice, and none is left.
async fn claims_are_disjoint_and_complete(bench: &Bench) {
    for _ in 0..LARGE_ROUNDS {
        bench.put_many(BACKLOG).await;
        let seen = race(bench, WORKERS, |bench, n| claim_all(bench, 1 + n * 2)).await;
        let mut seen: Vec<String> = seen.into_iter().flatten().collect();
        // A store with several writers may skip jobs that another claim has locked.
        seen.extend(claim_all(bench.clone(), BACKLOG).await);
        seen.sort();
        assert_eq!(seen, (0..BACKLOG).map(|n| nth(n).to_string()).collect::<Vec<_>>());
        bench.prune(Prune::Everything, BACKLOG).await;
    }
}

/// Many workers wake up together.
async fn single_claims_of_many_workers_are_disjoint(bench: &Bench) {
    for _ in 0..ROUNDS {
        bench.put_many(10).await;
        let seen = race(bench, HERD, |bench, _| async move { bench.claim_ids(1).await }).await;
        let mut seen: Vec<String> = seen.into_iter().flatten().collect();
        seen.extend(bench.claim_ids(10).await);
        seen.sort();
        assert_eq!(seen, (0..10).map(|n| nth(n).to_string()).collect::<Vec<_>>());
        bench.prune(Prune::Everything, 100).await;
    }
}

/// Enqueues its share, one by one.
async fn produce(bench: Bench, producer: usize) {
    for n in 0..EACH {
        bench.put(&format!("{producer}-{n}")).await;
    }
}

/// Claims and completes until all tasks together have completed `total` jobs.
async fn work(bench: Bench, name: String, done: Arc<AtomicUsize>, total: usize) -> Vec<String> {
    let mut ran = Vec::new();
    while done.load(SeqCst) < total {
        let claimed = bench.send(bench.request_of(&name, 5, LEASE)).await.jobs;
        let batch = claimed.iter().map(|held| decided(&held.record.meta, complete(held.token))).collect();
        assert_done!(bench.apply_all(batch).await);
        done.fetch_add(claimed.len(), SeqCst);
        ran.extend(ids_of(&claimed));
        tokio::task::yield_now().await;
    }
    ran
}

/// In a healthy run nothing lapses, fails or is repeated.
async fn producers_and_workers_run_every_job_once(bench: &Bench) {
    let done = Arc::new(AtomicUsize::new(0));
    let total = PRODUCERS * EACH;
    let mut producers = JoinSet::new();
    for n in 0..PRODUCERS {
        producers.spawn(produce(bench.clone(), n));
    }
    let ran = race(bench, WORKERS, |bench, n| work(bench, format!("worker-{n}"), done.clone(), total)).await;
    let ran: Vec<String> = ran.into_iter().flatten().collect();
    producers.join_all().await;
    assert_eq!((ran.len(), ran.iter().collect::<HashSet<_>>().len()), (total, total));
    let counts = bench.counts().await;
    assert_eq!((counts.of(State::Completed), counts.total()), (total as u64, total as u64));
}

/// Each task has a queue with the same ids, and each job has one outcome.
async fn queues_do_not_disturb_each_other(bench: &Bench) {
    let queue = |n: usize| format!("queue-{n}");
    race(bench, QUEUES, |bench, n| async move {
        let bench = bench.on_queue(&queue(n));
        for n in 0..20 {
            let held = bench.put_and_claim(nth(n).as_str()).await;
            let result = text_payload(bench.queue().as_str());
            bench.settled(&held, complete_with(held.token, result)).await;
        }
    })
    .await;
    for name in (0..QUEUES).map(queue) {
        let bench = bench.on_queue(&name);
        for n in 0..20 {
            assert_eq!(bench.result(nth(n).as_str()).await.as_deref(), Some(name.as_str()));
        }
    }
}
