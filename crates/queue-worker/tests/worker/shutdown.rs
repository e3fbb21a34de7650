//! The steps of a stop.

use crate::support::{Fault, Rig, job, millis, router, span, spawn};
use queue_core::{State, Storage};
use queue_worker::{CancelReason, Context, JobError, Router};
use std::sync::{Arc, Mutex};
use tokio::{
    sync::oneshot,
    time::{sleep, timeout},
};

fn sleeping(duration: u64) -> Router {
    router(move |n, _| async move {
        sleep(millis(duration)).await;
        Ok(n)
    })
}

#[tokio::test(start_paused = true)]
async fn jobs_that_have_not_started_are_given_back_uncharged() {
    let rig = Rig::new();
    rig.enqueue((0..4).map(|n| job(&n.to_string(), n))).await;
    let running = Rig::start(rig.worker(sleeping(1000)).concurrency(1).prefetch(2));
    rig.events.wait_for("started 0").await;
    assert_eq!(rig.leased().await, 3);
    let report = running.stop().await;
    assert_eq!((report.started, report.completed, report.released), (1, 1, 2));
    assert_eq!(rig.events.times_of("released 1"), [0], "before the drain");
    for name in ["1", "2"] {
        let meta = rig.meta(name).await;
        assert_eq!((meta.state, meta.failures, meta.stalls), (State::Queued, 0, 0));
    }
    assert_eq!(rig.meta("3").await.epoch, 0);
}

#[tokio::test(start_paused = true)]
async fn running_jobs_finish_within_the_deadline() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1), job("b", 2)]).await;
    let running = Rig::start(rig.worker(sleeping(9999)).drain_deadline(millis(10_000)));
    rig.events.wait_for("started b").await;
    let report = running.stop().await;
    assert_eq!((report.completed, rig.events.elapsed_ms()), (2, 9999));
}

#[tokio::test(start_paused = true)]
async fn leases_are_kept_alive_while_the_worker_drains() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let worker = rig.worker(sleeping(60_000)).lease(millis(1000)).drain_deadline(millis(100_000));
    let running = Rig::start(worker);
    rig.events.wait_for("started a").await;
    let report = running.stop().await;
    assert_eq!((report.completed, report.leases_lost), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn past_the_deadline_handlers_are_told_and_their_outcome_still_counts() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let reason = Arc::new(Mutex::new(None));
    let seen = reason.clone();
    let handler = router(move |_, context: Context| {
        let seen = seen.clone();
        async move {
            context.cancelled().await;
            *seen.lock().expect("unpoisoned") = context.cancel_reason();
            Ok(())
        }
    });
    let running = Rig::start(rig.worker(handler).drain_deadline(millis(10_000)));
    rig.events.wait_for("started a").await;
    let report = running.stop().await;
    assert_eq!((report.completed, rig.events.elapsed_ms()), (1, 10_000));
    assert_eq!(*reason.lock().expect("unpoisoned"), Some(CancelReason::Shutdown));
}

#[tokio::test(start_paused = true)]
async fn past_the_grace_handlers_are_dropped_and_their_jobs_given_back_uncharged() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let (dropped, was_dropped) = oneshot::channel::<()>();
    let guard = Arc::new(Mutex::new(Some(dropped)));
    let handler = router(move |_, _| {
        let guard = guard.lock().expect("unpoisoned").take();
        async move {
            std::future::pending::<()>().await;
            drop(guard);
            Ok(())
        }
    });
    let worker = rig.worker(handler).drain_deadline(millis(10_000)).grace(millis(500));
    let running = Rig::start(worker);
    rig.events.wait_for("started a").await;
    let report = running.stop().await;
    assert_eq!((report.released, rig.events.elapsed_ms()), (1, 10_500));
    assert!(was_dropped.await.is_err());
    let meta = rig.meta("a").await;
    assert_eq!((meta.state, meta.failures, meta.stalls), (State::Queued, 0, 0));
}

#[tokio::test(start_paused = true)]
async fn without_any_patience_running_jobs_are_still_given_back() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let worker = rig.worker(sleeping(1000)).drain_deadline(millis(0)).grace(millis(0));
    let running = Rig::start(worker);
    rig.events.wait_for("started a").await;
    let report = running.stop().await;
    assert_eq!((report.released, report.abandoned, rig.events.elapsed_ms()), (1, 0, 0));
    assert_eq!(rig.meta("a").await.state, State::Queued);
}

#[tokio::test(start_paused = true)]
async fn a_worker_stopped_before_it_runs_claims_nothing() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let worker = rig.worker(sleeping(1)).build().expect("valid settings");
    worker.stop_token().cancel();
    assert_eq!(timeout(millis(1), worker.run()).await.expect("it ends at once").started, 0);
    assert_eq!(rig.store.log().claims, 0);
}

#[tokio::test(start_paused = true)]
async fn what_a_claim_brings_after_the_stop_is_given_back() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    rig.store.script().on_claim = Some(Box::new(|| Fault::Late(millis(2000))));
    let running = Rig::start(rig.worker(sleeping(1)));
    sleep(millis(1000)).await;
    assert_eq!(rig.leased().await, 1);
    let report = running.stop().await;
    assert_eq!((report.started, report.released, rig.events.elapsed_ms()), (0, 1, 2000));
    assert_eq!(rig.meta("a").await.state, State::Queued);
}

#[tokio::test(start_paused = true)]
async fn a_claim_that_is_never_answered_does_not_hold_up_the_shutdown_for_ever() {
    let rig = Rig::new();
    rig.store.script().on_claim = Some(Box::new(|| Fault::Hang));
    let worker = rig.worker(sleeping(1)).drain_deadline(millis(1000)).grace(millis(1000));
    let running = Rig::start(worker);
    sleep(millis(1000)).await;
    running.stop().await;
    assert!(rig.events.elapsed_ms() <= 10_000);
}

#[tokio::test(start_paused = true)]
async fn maintenance_that_is_never_answered_does_not_hold_up_the_shutdown_for_ever() {
    let rig = Rig::new();
    rig.store.script().on_prune = Some(Fault::Hang);
    rig.store.script().on_list = Some(Fault::Hang);
    let worker = rig.worker(sleeping(1)).prune_interval(millis(100)).rescue_interval(millis(100));
    let running = Rig::start(worker);
    sleep(millis(1000)).await;
    running.stop().await;
    assert!(rig.events.elapsed_ms() <= 60_000);
}

#[tokio::test(start_paused = true)]
async fn a_part_that_panics_stops_the_worker() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1), job("b", 1)]).await;
    rig.store.script().on_settle = Some(Box::new(|_| Fault::Panic));
    let report = Rig::start(rig.worker(sleeping(1))).ended().await;
    assert_eq!((report.started, report.completed, report.abandoned), (2, 0, 2));
}

#[tokio::test(start_paused = true)]
async fn a_claim_that_panics_stops_the_worker() {
    let rig = Rig::new();
    rig.store.script().on_claim = Some(Box::new(|| Fault::Panic));
    assert_eq!(Rig::start(rig.worker(sleeping(1))).ended().await.started, 0);
}

#[tokio::test(start_paused = true)]
async fn no_task_is_left_after_the_run() {
    let rig = Rig::new();
    rig.enqueue((0..20).map(|n| job(&n.to_string(), n))).await;
    let handler = router(|n, _| async move {
        match n % 3 {
            0 => Ok(()),
            1 => Err(JobError::named("Test", "it fails").as_terminal()),
            _ => std::future::pending().await,
        }
    });
    let tasks = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
    let before = tasks();
    let worker = rig.worker(handler).build().expect("valid settings");
    let stop = worker.stop_token();
    let stopper = spawn(async move {
        sleep(millis(1000)).await;
        stop.cancel();
    });
    worker.run().await;
    stopper.await.expect("it does not panic");
    assert_eq!(tasks(), before);
    drop(worker);
    assert_eq!(Arc::strong_count(&rig.store), 1, "nothing holds the store");
}

#[tokio::test(start_paused = true)]
async fn no_task_is_left_after_a_run_that_drained_in_time() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let tasks = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
    let before = tasks();
    rig.drain(rig.worker(sleeping(10))).await;
    assert_eq!((tasks(), Arc::strong_count(&rig.store)), (before, 1));
}

#[tokio::test(start_paused = true)]
async fn a_worker_shows_itself_while_it_runs_and_retires() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1), job("b", 1).with_delay(span(1_000_000))]).await;
    let running = Rig::start(rig.worker(sleeping(100_000)).drain_deadline(millis(1_000_000)));
    for _ in 0..3 {
        sleep(millis(29_000)).await;
        let shown = rig.store.workers().await.expect("lists");
        let [worker] = &shown[..] else { panic!("one worker, not {shown:?}") };
        assert_eq!((worker.id.as_str(), worker.concurrency, worker.held), ("tester", 4, 1));
    }
    running.stop().await;
    assert_eq!(rig.store.workers().await.expect("lists"), []);
}
