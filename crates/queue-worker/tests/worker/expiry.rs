//! Jobs that expire unless they start in time.

use crate::support::{Rig, id, job, millis, router, span};
use queue_core::{Reason, Retention, State, lifecycle::Event};
use queue_worker::{Before, Context, JobError, WorkerEvent, before_fn};
use std::{
    future::pending,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::time::sleep;

const PATIENCE: i64 = 5_000;

fn expiring(name: &str) -> queue_core::NewJob {
    job(name, 1).with_expires_in(span(PATIENCE))
}

fn quick() -> queue_worker::Router {
    router(|_, _| async { Ok(()) })
}

/// A handler that takes as many milliseconds as the job's number.
fn slow() -> queue_worker::Router {
    router(|number: u32, _| async move {
        sleep(millis(number.into())).await;
        Ok(())
    })
}

async fn assert_expired(rig: &Rig, name: &str) {
    let meta = rig.meta(name).await;
    let end = (meta.state, meta.reason, meta.failures, meta.stalls);
    assert_eq!(end, (State::Cancelled, Some(Reason::Expired), 0, 0), "{name}");
}

#[tokio::test(start_paused = true)]
async fn a_job_that_expired_in_the_store_is_ended_and_no_handler_sees_it() {
    let rig = Rig::new();
    rig.enqueue([expiring("late"), job("other", 2)]).await;
    sleep(millis(5_000)).await;
    let report = rig.drain(rig.worker(quick())).await;
    assert_eq!((report.started, report.completed, report.cancelled), (1, 1, 1));
    assert_expired(&rig, "late").await;
}

#[tokio::test(start_paused = true)]
async fn one_that_is_claimed_a_millisecond_earlier_runs() {
    let rig = Rig::new();
    rig.enqueue([expiring("a")]).await;
    sleep(millis(4_999)).await;
    let report = rig.drain(rig.worker(quick())).await;
    assert_eq!((report.started, report.completed), (1, 1));
}

/// The job waited for a handler among the ready jobs of the worker.
#[tokio::test(start_paused = true)]
async fn one_that_expires_while_it_is_held_ready_is_ended_in_its_turn() {
    let rig = Rig::new();
    rig.enqueue([job("first", 60_000), expiring("ready"), job("last", 2)]).await;
    let report = rig.drain(rig.worker(slow()).concurrency(1)).await;
    assert_eq!((report.started, report.completed, report.cancelled), (2, 2, 1));
    assert_expired(&rig, "ready").await;
}

#[tokio::test(start_paused = true)]
async fn a_job_that_runs_beyond_its_expiry_goes_on() {
    let rig = Rig::new();
    rig.enqueue([job("a", 60_000).with_expires_in(span(PATIENCE))]).await;
    let report = rig.drain(rig.worker(slow())).await;
    assert_eq!((report.completed, report.cancelled), (1, 0));
}

/// The time of a hook is not a start.
#[tokio::test(start_paused = true)]
async fn one_that_expires_under_a_hook_is_ended() {
    let rig = Rig::new();
    rig.enqueue([expiring("a")]).await;
    let hook = before_fn(|_: Context| async {
        sleep(millis(6_000)).await;
        Ok(Before::Run)
    });
    let report = rig.drain(rig.worker(quick()).hook(hook)).await;
    assert_eq!((report.started, report.cancelled), (0, 1));
    assert_expired(&rig, "a").await;
}

#[tokio::test(start_paused = true)]
async fn its_event_says_why_even_if_nothing_is_kept() {
    let rig = Rig::new();
    rig.enqueue([expiring("a").with_retention(Retention::Remove)]).await;
    sleep(millis(5_000)).await;
    let ends = Arc::new(Mutex::new(Vec::new()));
    let heard = ends.clone();
    let worker = rig.worker(quick()).on_event(move |event| {
        if let WorkerEvent::Cancelled(end) = event {
            let end = (end.meta.id.clone(), end.meta.reason, end.ran_for);
            heard.lock().expect("unpoisoned").push(end);
        }
    });
    rig.drain(worker).await;
    assert!(rig.find("a").await.is_none());
    assert_eq!(*ends.lock().expect("unpoisoned"), [(id("a"), Some(Reason::Expired), None)]);
}

/// Work that was half done must be done again.
#[tokio::test(start_paused = true)]
async fn a_shutdown_lifts_the_expiry_of_what_had_started_and_of_nothing_else() {
    let rig = Rig::new();
    rig.enqueue([expiring("started"), expiring("ready")]).await;
    let handler = router(|_, _| async {
        pending::<()>().await;
        Ok(())
    });
    let running = Rig::start(rig.worker(handler).concurrency(1));
    rig.events.wait_for("started started").await;
    running.stop().await;
    assert!(rig.meta("started").await.expiry_lifted && !rig.meta("ready").await.expiry_lifted);
    sleep(millis(5_000)).await;
    let report = rig.drain(rig.worker(quick())).await;
    assert_eq!((report.completed, report.cancelled), (1, 1));
    assert_expired(&rig, "ready").await;
}

#[tokio::test(start_paused = true)]
async fn one_that_snoozed_has_started() {
    let rig = Rig::new();
    rig.enqueue([expiring("a")]).await;
    let handler = router(|_, context: Context| async move {
        if context.epoch() < 3 { Err(JobError::snooze(Duration::from_secs(30))) } else { Ok(()) }
    });
    let report = rig.drain(rig.worker(handler)).await;
    assert_eq!((report.completed, report.released, report.cancelled), (1, 2, 0));
}

#[tokio::test(start_paused = true)]
async fn a_redriven_job_runs_however_late() {
    let rig = Rig::new();
    rig.enqueue([expiring("a")]).await;
    sleep(millis(5_000)).await;
    rig.drain(rig.worker(quick())).await;
    rig.change("a", Event::Redrive { content_type: None }).await;
    sleep(millis(60_000)).await;
    assert_eq!(rig.drain(rig.worker(quick())).await.completed, 1);
}

/// The job's own limit takes precedence over the limits of its kind and of the worker, and the
/// handler knows it.
#[tokio::test(start_paused = true)]
async fn the_time_limit_of_the_job_comes_before_that_of_its_kind() {
    let rig = Rig::new();
    let limited = |name, limit| {
        job(name, 1).with_time_limit(span(limit)).with_max_attempts(queue_core::Budget::from_raw(1))
    };
    rig.enqueue([limited("short", 1_000), limited("long", 90_000), job("plain", 1)]).await;
    let handler = router(|_, context: Context| async move {
        let expected = match context.meta().id.as_str() {
            "short" => 1_000,
            "long" => 90_000,
            _ => 20_000,
        };
        assert_eq!(context.time_limit(), Some(millis(expected)));
        let takes = if context.meta().id.as_str() == "plain" { 10_000 } else { 60_000 };
        sleep(millis(takes)).await;
        Ok(())
    });
    let handler = handler.time_limit("work", millis(20_000)).expect("a valid limit");
    let report = rig.drain(rig.worker(handler).time_limit(millis(30_000))).await;
    assert_eq!((report.completed, report.failed), (2, 1));
    let error = rig.meta("short").await.last_error.expect("it failed");
    assert_eq!((error.name(), error.message()), ("TimeLimit", "the handler ran longer than 1s"));
}
