//! How long a handler may run, and what happens to one that runs longer.

use crate::support::{Rig, job, millis, router};
use queue_core::{
    Keep, Reason, RetryPolicy, State,
    lifecycle::{Event, OnProcessing},
};
use queue_worker::{Before, CancelReason, Context, JobError, Router, after_fn, before_fn};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::{sync::oneshot, time::sleep};

/// A handler that works until it is asked to stop, for a while longer, and then answers.
fn late<R: queue_serde::Encode + Clone + Send + Sync + 'static>(
    after: u64,
    answer: Result<R, JobError>,
) -> Router {
    router(move |_, context: Context| {
        let answer = answer.clone();
        async move {
            context.cancelled().await;
            assert_eq!(context.cancel_reason(), Some(CancelReason::TimeLimit));
            sleep(millis(after)).await;
            answer
        }
    })
}

fn endless() -> Router {
    router(|_, _| async {
        std::future::pending::<()>().await;
        Ok(())
    })
}

fn failure() -> JobError {
    JobError::named("Test", "password=hunter2")
}

/// The name and the message of the last error.
async fn error(rig: &Rig, name: &str) -> (String, String) {
    let error = rig.meta(name).await.last_error.expect("stored");
    (error.name().to_owned(), error.message().to_owned())
}

#[tokio::test(start_paused = true)]
async fn a_handler_over_its_limit_is_told_dropped_after_the_grace_and_charged_one_attempt() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let (dropped, was_dropped) = oneshot::channel::<()>();
    let guard = Arc::new(Mutex::new(Some(dropped)));
    let handler = router(move |_, context: Context| {
        let guard = guard.lock().expect("unpoisoned").take();
        async move {
            if context.attempt() == 1 {
                std::future::pending::<()>().await;
            }
            drop(guard);
            Ok(())
        }
    });
    let worker = rig.worker(handler).time_limit(millis(2000)).grace(millis(300));
    rig.drain(worker.retry(RetryPolicy::Fixed(Duration::from_millis(100)))).await;
    assert!(was_dropped.await.is_err());
    assert_eq!(rig.events.times_of("failing a"), [2300]);
    assert_eq!(rig.events.times_of("started a"), [0, 2400]);
    let meta = rig.meta("a").await;
    assert_eq!((meta.state, meta.failures, meta.stalls), (State::Completed, 1, 0));
    assert_eq!(error(&rig, "a").await, ("TimeLimit".to_owned(), "the handler ran longer than 2s".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_never_ends_spends_the_budget_of_its_job() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    rig.drain(rig.worker(endless()).time_limit(millis(10))).await;
    let meta = rig.meta("a").await;
    assert_eq!((meta.state, meta.reason, meta.failures), (State::Failed, Some(Reason::Exhausted), 3));
}

#[tokio::test(start_paused = true)]
async fn a_result_within_the_grace_counts() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let worker = rig.worker(late(299, Ok("done"))).time_limit(millis(2000)).grace(millis(300));
    let report = rig.drain(worker).await;
    assert_eq!((report.completed, report.failing), (1, 0));
    assert_eq!(rig.events.times_of("completed a"), [2299]);
}

#[tokio::test(start_paused = true)]
async fn an_error_within_the_grace_is_the_failure_of_the_limit_and_tells_its_own() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    rig.drain(rig.worker(late::<()>(1, Err(failure()))).time_limit(millis(2000))).await;
    let expected = "the handler ran longer than 2s, and then failed: Test: password=***";
    assert_eq!(error(&rig, "a").await, ("TimeLimit".to_owned(), expected.to_owned()));
    assert_eq!(rig.meta("a").await.failures, 3);
}

#[tokio::test(start_paused = true)]
async fn a_late_error_keeps_what_it_said_of_finality_and_retention() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let last = failure().as_terminal().keep(Keep::Forever).with_details("why");
    rig.drain(rig.worker(late::<()>(1, Err(last))).time_limit(millis(2000))).await;
    let record = rig.record("a").await;
    assert_eq!((record.meta.reason, record.meta.purge_at), (Some(Reason::Terminal), None));
    assert_eq!(record.body.expect("read in full").error_details.expect("stored"), "why");
}

#[tokio::test(start_paused = true)]
async fn a_handler_over_its_limit_gets_away_with_neither_snooze_nor_release() {
    for answer in [JobError::snooze(millis(5000)), JobError::release()] {
        let rig = Rig::new();
        rig.enqueue([job("a", 1)]).await;
        let worker = rig.worker(late::<()>(1, Err(answer.clone()))).time_limit(millis(2000));
        let report = rig.drain(worker.retry(RetryPolicy::Fixed(Duration::from_millis(100)))).await;
        assert_eq!((report.released, report.failing, report.failed), (0, 2, 1));
        let wait = answer.delay().map_or(100, |delay| u64::try_from(delay.as_millis()).expect("short"));
        assert_eq!(rig.events.times_of("started a")[1], 2001 + wait, "it waits as it asked");
    }
}

#[tokio::test(start_paused = true)]
async fn a_handler_within_its_limit_hears_nothing() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let handler = router(|_, context: Context| async move {
        sleep(millis(1999)).await;
        Ok(context.cancel_reason().is_none())
    });
    rig.drain(rig.worker(handler).time_limit(millis(2000))).await;
    assert_eq!(rig.record("a").await.result().expect("completed").bytes, "true");
}

#[tokio::test(start_paused = true)]
async fn without_a_limit_a_handler_may_run_for_days() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let handler = router(|_, _| async {
        sleep(millis(5 * 3_600_000)).await;
        Ok(())
    });
    assert_eq!(rig.drain(rig.worker(handler)).await.completed, 1);
}

#[tokio::test(start_paused = true)]
async fn the_limit_of_a_kind_comes_before_that_of_the_worker() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let handler = endless().time_limit("other", millis(1)).and_then(|it| it.time_limit("work", millis(700)));
    let worker = rig.worker(handler.expect("valid limits")).time_limit(millis(2000)).grace(millis(0));
    let running = Rig::start(worker);
    rig.events.wait_for("failing a").await;
    assert_eq!(rig.events.times_of("failing a"), [700]);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn the_limit_of_a_job_comes_before_that_of_its_kind() {
    let rig = Rig::new();
    rig.enqueue([job("a", 300)]).await;
    let of_payload = before_fn(|job: Context| async move {
        let text = String::from_utf8(job.payload().bytes.to_vec())?;
        job.set_time_limit(millis(text.parse()?));
        Ok(Before::Run)
    });
    let handler = endless().time_limit("work", millis(700)).expect("a valid limit");
    let running = Rig::start(rig.worker(handler).grace(millis(0)).hook(of_payload));
    rig.events.wait_for("failing a").await;
    assert_eq!(rig.events.times_of("failing a"), [300]);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_handler_may_ask_for_more_time_before_its_limit() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let handler = router(|_, context: Context| async move {
        sleep(millis(900)).await;
        context.set_time_limit(millis(5000));
        context.cancelled().await;
        Ok(())
    });
    rig.drain(rig.worker(handler).time_limit(millis(1000))).await;
    assert_eq!(rig.events.times_of("completed a"), [5000], "counted from the start");
}

#[tokio::test(start_paused = true)]
async fn the_limit_counts_the_handler_and_not_its_hooks() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let before = before_fn(|_| async {
        sleep(millis(3000)).await;
        Ok(Before::Run)
    });
    let after = after_fn(|_, executed| async {
        sleep(millis(3000)).await;
        Ok(executed)
    });
    let handler = router(|_, _| async {
        sleep(millis(999)).await;
        Ok(())
    });
    let report = rig.drain(rig.worker(handler).time_limit(millis(1000)).hook(before).hook(after)).await;
    assert_eq!((report.completed, report.failing), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn a_job_that_somebody_cancels_is_cancelled_when_its_handler_runs_over_its_limit() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let worker = rig.worker(endless()).lease(millis(300)).time_limit(millis(2000)).grace(millis(100));
    let running = Rig::start(worker);
    rig.events.wait_for("started a").await;
    rig.change("a", Event::Cancel { processing: OnProcessing::Request }).await;
    rig.events.wait_for("cancelled a").await;
    assert_eq!(rig.events.times_of("cancelled a"), [2100]);
    assert_eq!(rig.meta("a").await.state, State::Cancelled);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_limit_that_passes_while_the_worker_drains_counts_too() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let worker = rig.worker(endless()).time_limit(millis(2000)).grace(millis(500));
    let running = Rig::start(worker.drain_deadline(millis(10_000)));
    rig.events.wait_for("started a").await;
    let report = running.stop().await;
    assert_eq!((report.failing, report.released, rig.events.elapsed_ms()), (1, 0, 2500));
}

#[tokio::test(start_paused = true)]
async fn a_limit_of_zero_is_refused() {
    assert!(endless().time_limit("work", millis(0)).is_err());
    assert!(endless().time_limit("", millis(1)).is_err());
    assert!(Rig::new().worker(endless()).time_limit(millis(0)).build().is_err());
}
