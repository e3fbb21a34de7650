//! The typed client and the worker through a store that refuses, loses, delays and repeats calls,
//! and whose hints are dropped, repeated and late.

use queue::{
    JobOptions, MemoryStorage, Queue, State, Storage, WaitError,
    worker::{Router, TokioClock, WorkerReport},
};
use queue_testkit::{
    fault::{Fault, FaultPlan, FaultStore, HintFault, StorageVerb},
    seeds,
};
use std::{sync::Arc, time::Duration};
use tokio::task::JoinSet;

const CALLS: u64 = 50;
/// The most repeats of a call, under the same id, that is refused or has no answer in time.
const TRIES_MAX: usize = 100;

type Squares = Queue<u64, u64>;

fn plan(seed: u64) -> FaultPlan {
    FaultPlan::new(seed)
        .one_in(10, StorageVerb::CORE, Fault::Refuse)
        .one_in(10, StorageVerb::CORE, Fault::LoseRequest)
        .one_in(10, StorageVerb::CORE, Fault::LoseReply)
        .one_in(10, StorageVerb::CORE, Fault::Duplicate)
        .one_in(5, StorageVerb::CORE, Fault::Delay(Duration::from_millis(20)))
        .hints_one_in(2, HintFault::Drop)
        .hints_one_in(5, HintFault::Repeat)
        .hints_one_in(5, HintFault::Reorder)
}

/// Repeats the call until there is an answer, as a caller would: the id makes it one job however
/// often it is sent.
async fn call(queue: Squares, n: u64) -> (u64, u64) {
    // Lost claims charge stalls, and this store loses many.
    let options = JobOptions::new().unlimited_stalls();
    for _ in 0..TRIES_MAX {
        let wait = Duration::from_secs(5);
        match queue.enqueue_and_wait_with(n.to_string(), n, options.clone(), wait).await {
            Ok(square) => return (n, square),
            Err(WaitError::TimedOut { .. }) => {}
            Err(WaitError::Store(error)) if error.is_transient() => {}
            Err(error) => panic!("call {n}: {error}"),
        }
    }
    panic!("call {n} got no answer in {TRIES_MAX} tries");
}

async fn answer_calls(queue: &Squares) -> WorkerReport {
    let router =
        Router::new(()).handle("default", |n: u64, _| async move { Ok(n * n) }).expect("one handler");
    let worker = queue.worker(router).lease(Duration::from_secs(2)).build().expect("valid settings");
    let stop = worker.stop_token();
    let mut calls: JoinSet<_> = (0..CALLS).map(|n| call(queue.clone(), n)).collect();
    let callers = async {
        while let Some(answer) = calls.join_next().await {
            let (n, square) = answer.expect("no caller panics");
            assert_eq!(square, n * n);
        }
        stop.cancel();
    };
    tokio::join!(worker.run(), callers).0
}

#[tokio::test(start_paused = true)]
async fn every_call_is_answered_right_and_every_job_completes_once() {
    for seed in seeds(10) {
        let memory: Arc<dyn Storage> = Arc::new(MemoryStorage::with_clock(Arc::new(TokioClock::default())));
        let faulty = Arc::new(FaultStore::new(memory.clone(), plan(seed)));
        let report = answer_calls(&Queue::new(faulty.clone(), "squares").expect("valid")).await;
        assert!(faulty.tally().total() > 50, "seed {seed}: {:?}", faulty.tally());
        assert_eq!(report.abandoned, 0, "seed {seed}");
        let direct: Squares = Queue::new(memory.clone(), "squares").expect("valid");
        let counts = direct.counts().await.expect("counts");
        assert_eq!((counts.of(State::Completed), counts.total()), (CALLS, CALLS), "seed {seed}");
        assert_eq!(memory.verify().await.expect("verifies"), Vec::<String>::new(), "seed {seed}");
    }
}
