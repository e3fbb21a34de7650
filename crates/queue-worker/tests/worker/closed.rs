//! A store whose handle is closed for good, unlike one that is merely away.

use crate::support::{Fault, Rig, job, millis, router};
use queue_core::{ErrorKind, Storage};
use queue_worker::{CancelReason, Context, Router, WorkerReport, runtime::Member};
use std::sync::{Arc, Mutex};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

fn succeeding() -> Router {
    router(|n, _| async move { Ok(n) })
}

fn error_of(report: &WorkerReport) -> Option<ErrorKind> {
    report.error.as_ref().map(queue_core::Error::kind)
}

#[tokio::test(start_paused = true)]
async fn a_store_that_is_closed_for_good_ends_the_run_with_its_error() {
    let rig = Rig::new();
    let running = Rig::start(rig.worker(succeeding()));
    sleep(millis(1)).await;
    rig.store.close().await.expect("closes");
    let report = running.ended().await;
    assert_eq!(error_of(&report), Some(ErrorKind::Closed));
    assert!(rig.events.count("error Closed") > 0);
    assert!(rig.events.elapsed_ms() < 10_000, "at {}", rig.events.elapsed_ms());
}

#[tokio::test(start_paused = true)]
async fn a_handler_whose_store_was_closed_is_told_at_once_and_has_the_grace() {
    let rig = Rig::new();
    rig.enqueue([job("polite", 1), job("stubborn", 2)]).await;
    let told: Arc<Mutex<Vec<_>>> = Arc::default();
    let seen = told.clone();
    let handler = router(move |n, context: Context| {
        let seen = seen.clone();
        async move {
            context.cancelled().await;
            seen.lock().expect("unpoisoned").push(context.cancel_reason());
            if n == 2 { std::future::pending().await } else { Ok(()) }
        }
    });
    rig.store.script().on_heartbeat = Some(Box::new(|_| Fault::Refuse(ErrorKind::Closed)));
    rig.store.script().on_settle = Some(Box::new(|_| Fault::Refuse(ErrorKind::Closed)));
    let worker = rig.worker(handler).lease(millis(3000)).grace(millis(200)).concurrency(2).prefetch(0);
    let report = Rig::start(worker).ended().await;
    assert_eq!(*told.lock().expect("unpoisoned"), [Some(CancelReason::LeaseLost); 2]);
    assert_eq!((error_of(&report), report.started, report.abandoned), (Some(ErrorKind::Closed), 2, 2));
    assert!(rig.events.elapsed_ms() <= 1200, "a beat and the grace, not {}", rig.events.elapsed_ms());
}

#[tokio::test(start_paused = true)]
async fn an_outcome_that_a_closed_store_refuses_ends_the_run_too() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    rig.store.script().on_settle = Some(Box::new(|_| Fault::Refuse(ErrorKind::Closed)));
    let report = Rig::start(rig.worker(succeeding())).ended().await;
    assert_eq!((error_of(&report), report.abandoned), (Some(ErrorKind::Closed), 1));
    assert_eq!(rig.events.elapsed_ms(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_store_that_is_merely_away_is_asked_on() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    rig.store.script().on_claim = Some(Box::new(|| Fault::Refuse(ErrorKind::Unavailable)));
    let running = Rig::start(rig.worker(succeeding()));
    sleep(millis(24 * 3_600_000)).await;
    rig.store.script().on_claim = None;
    rig.events.wait_for("completed a").await;
    assert_eq!(error_of(&running.stop().await), None);
}

#[tokio::test(start_paused = true)]
async fn a_store_that_is_closed_after_the_stop_is_not_why_the_run_ended() {
    let rig = Rig::new();
    let running = Rig::start(rig.worker(succeeding()));
    sleep(millis(1)).await;
    running.stop.cancel();
    rig.store.close().await.expect("closes");
    assert_eq!(error_of(&running.ended().await), None);
}

#[tokio::test(start_paused = true)]
async fn as_a_member_it_fails_with_that_error() {
    let rig = Rig::new();
    let worker = Box::new(rig.worker(succeeding()).build().expect("valid settings"));
    rig.store.close().await.expect("closes");
    let error = worker.run(CancellationToken::new()).await.expect_err("the store is closed");
    let error: &queue_core::Error = error.downcast_ref().expect("that error");
    assert_eq!(error.kind(), ErrorKind::Closed);
}
