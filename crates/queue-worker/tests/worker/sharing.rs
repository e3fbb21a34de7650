//! Several workers, whole runs, and their sums.

use crate::support::{Rig, job, millis, router, span, spawn};
use queue_core::{
    RetryPolicy, SeededRng, State, Storage, StorageExt, WorkerId,
    lifecycle::{Event, Policy},
};
use queue_worker::{Context, JobError, Router};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::time::sleep;

fn succeeding() -> Router {
    router(|n, _| async move { Ok(n) })
}

#[tokio::test(start_paused = true)]
async fn until_empty_ends_at_once_on_an_empty_queue() {
    let rig = Rig::new();
    rig.drain(rig.worker(succeeding())).await;
    assert_eq!(rig.events.elapsed_ms(), 0);
}

/// A listing may have to read every job that the store keeps.
#[tokio::test(start_paused = true)]
async fn until_empty_lists_no_jobs_where_none_waits() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1), job("b", 2)]).await;
    rig.claim_elsewhere(1, span(40_000)).await;
    let report = rig.drain(rig.worker(succeeding())).await;
    assert_eq!((report.completed, rig.store.log().matches), (2, 0));
}

#[tokio::test(start_paused = true)]
async fn until_empty_waits_for_delayed_jobs_and_retries() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1).with_delay(span(50_000)), job("b", 2)]).await;
    let handler = router(|n, context: Context| async move {
        if n == 2 && context.attempt() == 1 { Err(JobError::named("Test", "once")) } else { Ok(()) }
    });
    let report = rig.drain(rig.worker(handler).retry(RetryPolicy::Fixed(Duration::from_secs(90)))).await;
    assert_eq!((report.completed, rig.events.elapsed_ms()), (2, 90_000));
}

#[tokio::test(start_paused = true)]
async fn until_empty_waits_for_the_jobs_of_other_workers() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    rig.claim_elsewhere(1, span(40_000)).await;
    let report = rig.drain(rig.worker(succeeding())).await;
    assert_eq!((report.completed, report.rescued), (1, 1));
    assert_eq!(rig.events.times_of("completed a"), [40_000]);
}

#[tokio::test(start_paused = true)]
async fn until_empty_ends_soon_after_another_worker_finished_the_last_job() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let job = rig.claim_elsewhere(1, span(3_600_000)).await.jobs.remove(0);
    let waiting = Rig::start(rig.worker(succeeding()).until_empty());
    sleep(millis(40_000)).await;
    let (token, result) = (job.token, job.record.body.expect("a claim brings it").payload);
    let complete = Event::Complete { token, result, retention: None, then: Vec::new() };
    rig.store.settle(&job.record.meta, complete, &Policy::default()).await.expect("the probe applies");
    waiting.ended().await;
    assert!(rig.events.elapsed_ms() < 40_200, "at {}", rig.events.elapsed_ms());
}

#[tokio::test(start_paused = true)]
async fn until_empty_waits_for_what_its_own_jobs_enqueue() {
    let rig = Rig::new();
    rig.enqueue([job("5", 5)]).await;
    let handler = router(|n, context: Context| async move {
        if n > 0 {
            context.then(job(&(n - 1).to_string(), n - 1));
        }
        sleep(millis(10)).await;
        Ok(())
    });
    assert_eq!(rig.drain(rig.worker(handler)).await.completed, 6);
}

#[tokio::test(start_paused = true)]
async fn the_report_adds_up() {
    let rig = Rig::new();
    rig.enqueue((0..40).map(|n| job(&format!("{n:02}"), n))).await;
    rig.claim_elsewhere(3, span(100)).await;
    let handler = router(|n, context: Context| async move {
        match (n % 4, context.meta().failures, context.meta().epoch) {
            (1, 0, _) => Err(JobError::named("Test", "once")),
            (2, ..) => Err(JobError::named("Test", "never").as_terminal()),
            (3, _, 1) => Err(JobError::release()),
            _ => Ok(()),
        }
    });
    let report = rig.drain(rig.worker(handler)).await;
    assert_eq!((report.completed, report.failed), (30, 10));
    assert_eq!((report.failing, report.released, report.rescued), (10, 10, 3));
    assert_eq!((report.cancelled, report.leases_lost, report.abandoned), (0, 0, 0));
    let ends = report.completed + report.failed + report.failing + report.released;
    assert_eq!(report.started, ends);
    let counts = rig.store.counts(&rig.queue).await.expect("counts");
    assert_eq!((counts.of(State::Completed), counts.of(State::Failed), counts.unfinished()), (30, 10, 0));
    assert_eq!(rig.store.verify().await.expect("verifies"), Vec::<String>::new());
}

/// A handler that counts runs by payload.
fn counting(runs: &Arc<Mutex<HashMap<u32, u32>>>) -> Router {
    let runs = runs.clone();
    router(move |n, _| {
        *runs.lock().expect("unpoisoned").entry(n).or_default() += 1;
        async move {
            sleep(millis(u64::from(n % 13))).await;
            Ok(())
        }
    })
}

#[tokio::test(start_paused = true)]
async fn two_workers_share_a_queue_and_run_nothing_twice() {
    let rig = Rig::new();
    rig.enqueue((0..500).map(|n| job(&n.to_string(), n))).await;
    let runs = Arc::default();
    let worker = |name| rig.worker(counting(&runs)).id(WorkerId::from_static(name)).until_empty();
    let (one, two) = (Rig::start(worker("one")), Rig::start(worker("two")));
    let (one, two) = (one.ended().await, two.ended().await);
    assert_eq!(one.completed + two.completed, 500);
    assert!(one.completed > 100 && two.completed > 100, "{} and {}", one.completed, two.completed);
    let runs = runs.lock().expect("unpoisoned");
    assert!(runs.len() == 500 && runs.values().all(|&times| times == 1));
}

/// The threads are real: nothing here depends on time.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn workers_on_many_threads_run_everything_once() {
    let rig = Rig::new();
    rig.enqueue((0..2000).map(|n| job(&n.to_string(), 13 * n))).await;
    let runs = Arc::default();
    let worker = || rig.worker(counting(&runs)).concurrency(16).prefetch(16).until_empty();
    let running: Vec<_> = (0..4).map(|_| Rig::start(worker())).collect();
    let mut completed = 0;
    for each in running {
        completed += each.ended().await.completed;
    }
    assert_eq!(completed, 2000);
    assert_eq!(rig.leased().await, 0);
    let runs = runs.lock().expect("unpoisoned");
    assert!(runs.len() == 2000 && runs.values().all(|&times| times == 1));
}

async fn trace_of(seed: u64) -> Vec<(u64, String)> {
    let mut rig = Rig::new();
    rig.rng = Arc::new(SeededRng::new(seed));
    rig.enqueue((0..40).map(|n| job(&n.to_string(), n).with_delay(span(i64::from(n % 9) * 700)))).await;
    rig.claim_elsewhere(2, span(3000)).await;
    let handler = router(|n, context: Context| async move {
        sleep(millis(u64::from(n * 37 % 101))).await;
        if n % 5 == 0 && context.attempt() < 3 { Err(JobError::named("Test", "again")) } else { Ok(()) }
    });
    let worker = rig.worker(handler).rescue_interval(millis(400)).lease(millis(900));
    let (store, queue) = (rig.store.clone(), rig.queue.clone());
    let late = spawn(async move {
        sleep(millis(4000)).await;
        store.enqueue(&queue, vec![vec![job("late", 3)]]).await.expect("enqueues");
    });
    rig.drain(worker).await;
    late.await.expect("it does not panic");
    rig.events.trace()
}

#[tokio::test(start_paused = true)]
async fn the_same_seed_gives_the_same_trace_twice() {
    let first = trace_of(42).await;
    assert!(first.len() > 100, "{} events", first.len());
    assert_eq!(trace_of(42).await, first);
}
