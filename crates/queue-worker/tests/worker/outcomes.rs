//! What each answer of its handler makes of a job.

use crate::support::{Rig, id, job, millis, router};
use async_trait::async_trait;
use queue_core::{
    Budget, ContentType, FAILURE_MESSAGE_BYTES_MAX, Keep, Kind, NewJob, Payload, Reason, RetryPolicy, State,
};
use queue_worker::{Context, JobError, Worker, WorkerEvent, runtime::Handler};
use std::time::Duration;

fn failing() -> JobError {
    JobError::named("Test", "it fails")
}

#[tokio::test(start_paused = true)]
async fn a_job_whose_attempts_are_spent_is_failed_as_exhausted() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1).with_max_attempts(Budget::from_raw(2))]).await;
    rig.drain(rig.worker(router(|_, _| async { Err::<(), _>(failing()) }))).await;
    let meta = rig.meta("a").await;
    assert_eq!((meta.state, meta.reason, meta.failures), (State::Failed, Some(Reason::Exhausted), 2));
    assert_eq!(rig.events.labels(), ["started a", "failing a", "started a", "failed a"]);
}

#[tokio::test(start_paused = true)]
async fn a_terminal_error_ends_the_job_at_once() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    rig.drain(rig.worker(router(|_, _| async { Err::<(), _>(failing().as_terminal()) }))).await;
    let meta = rig.meta("a").await;
    assert_eq!((meta.state, meta.reason, meta.failures), (State::Failed, Some(Reason::Terminal), 1));
}

#[tokio::test(start_paused = true)]
async fn a_handler_may_override_the_wait_before_its_next_attempt() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let handler = router(|_, _| async { Err::<(), _>(failing().retry_in(millis(77))) });
    rig.drain(rig.worker(handler).retry(RetryPolicy::Fixed(Duration::from_secs(5)))).await;
    assert_eq!(rig.events.times_of("started a"), [0, 77, 154]);
}

#[tokio::test(start_paused = true)]
async fn a_snooze_waits_and_charges_nothing() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let handler = router(|_, context: Context| async move {
        if context.meta().epoch < 3 { Err(JobError::snooze(millis(500))) } else { Ok(context.attempt()) }
    });
    rig.drain(rig.worker(handler)).await;
    assert_eq!(rig.record("a").await.result().expect("completed").bytes, "1");
    assert_eq!(rig.events.times_of("started a"), [0, 500, 1000]);
    assert_eq!(rig.events.count("released a"), 2);
}

#[tokio::test(start_paused = true)]
async fn a_release_keeps_the_place_and_charges_nothing() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let handler = router(|_, context: Context| async move {
        if context.meta().epoch < 4 { Err(JobError::release()) } else { Ok(context.attempt()) }
    });
    rig.drain(rig.worker(handler)).await;
    assert_eq!(rig.record("a").await.result().expect("completed").bytes, "1");
    assert_eq!(rig.events.times_of("started a"), [0, 0, 0, 0]);
}

#[tokio::test(start_paused = true)]
async fn a_panic_is_a_failed_attempt_and_the_worker_goes_on() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1), job("b", 2)]).await;
    let handler = router(|n, _| async move {
        assert!(n != 1, "the handler cannot stand number {n}");
        Ok(n)
    });
    let report = rig.drain(rig.worker(handler).concurrency(1)).await;
    let meta = rig.meta("a").await;
    assert_eq!((meta.state, meta.failures), (State::Failed, 3));
    let error = meta.last_error.expect("stored");
    assert_eq!((error.name(), error.message()), ("Panic", "the handler cannot stand number 1"));
    assert_eq!((report.completed, report.failed), (1, 1));
}

#[derive(Debug)]
struct PanicsAtOnce;

/// `async_trait` would write this, with work outside the future.
impl Handler<Context> for PanicsAtOnce {
    type Output = Payload;
    type Error = JobError;

    fn handle<'a, 'b>(&'a self, _: Context) -> futures_util::future::BoxFuture<'b, Result<Payload, JobError>>
    where
        'a: 'b,
    {
        panic!("before there is a future")
    }
}

#[tokio::test(start_paused = true)]
async fn a_panic_before_the_first_await_of_a_plain_handler_is_a_failed_attempt() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    rig.drain(Worker::builder(rig.store.clone(), rig.queue.clone(), PanicsAtOnce)).await;
    let meta = rig.meta("a").await;
    assert_eq!((meta.state, meta.failures, meta.stalls), (State::Failed, 3, 0));
}

/// A handler of the program's own, without a router.
#[derive(Debug)]
struct Upper;

#[async_trait]
impl Handler<Context> for Upper {
    type Output = Payload;
    type Error = JobError;

    async fn handle(&self, context: Context) -> Result<Payload, JobError> {
        Ok(Payload::new(context.payload().bytes.to_ascii_uppercase(), ContentType::from_static("text/plain")))
    }
}

#[tokio::test(start_paused = true)]
async fn a_handler_needs_no_router() {
    let rig = Rig::new();
    let text = Payload::new("shout", ContentType::from_static("text/plain"));
    rig.enqueue([NewJob::new(id("a"), Kind::unnamed(), text)]).await;
    rig.drain(Worker::builder(rig.store.clone(), rig.queue.clone(), Upper)).await;
    assert_eq!(rig.record("a").await.result().expect("completed").bytes, "SHOUT");
}

#[tokio::test(start_paused = true)]
async fn secrets_in_errors_and_panics_are_masked_and_long_texts_are_cut() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1), job("b", 2), job("c", 3)]).await;
    let handler = router(|n, _| async move {
        match n {
            1 => Err::<(), _>(JobError::named("Db", "cannot connect, password=hunter2").as_terminal()),
            2 => panic!("token: abc123"),
            _ => Err(JobError::named("Long", "é".repeat(5000)).as_terminal()),
        }
    });
    rig.drain(rig.worker(handler)).await;
    let message = async |name| rig.meta(name).await.last_error.expect("stored").message().to_owned();
    assert_eq!(message("a").await, "cannot connect, password=***");
    assert_eq!(message("b").await, "token: ***");
    assert_eq!(message("c").await.len(), FAILURE_MESSAGE_BYTES_MAX);
}

#[tokio::test(start_paused = true)]
async fn a_result_over_the_limit_fails_the_job_for_good_as_unstorable() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    rig.drain(rig.worker(router(|_, _| async { Ok("x".repeat(2 << 20)) }))).await;
    let meta = rig.meta("a").await;
    assert_eq!((meta.state, meta.reason), (State::Failed, Some(Reason::Terminal)));
    assert_eq!(meta.last_error.expect("stored").name(), "Unstorable");
}

#[tokio::test(start_paused = true)]
async fn details_over_the_limit_are_left_out_and_the_failure_stays_what_it_was() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let handler = router(|_, context: Context| async move {
        if context.attempt() > 1 { Ok(()) } else { Err(failing().with_details(vec![0; 1 << 20])) }
    });
    rig.drain(rig.worker(handler)).await;
    assert_eq!(rig.meta("a").await.state, State::Completed);
    assert_eq!(rig.events.count("failing a"), 1);
    assert_eq!(rig.events.count("error Invalid"), 1);
}

#[tokio::test(start_paused = true)]
async fn a_handler_may_override_how_long_its_failure_stays() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let handler = router(|_, _| async { Err::<(), _>(failing().as_terminal().keep(Keep::Nothing)) });
    let report = rig.drain(rig.worker(handler)).await;
    assert_eq!(rig.find("a").await, None);
    assert_eq!(report.failed, 1);
}

#[tokio::test(start_paused = true)]
async fn what_follows_is_enqueued_with_the_completion_and_not_with_a_failure() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1), job("b", 2)]).await;
    let handler = router(|n, context: Context| async move {
        if n > 2 {
            return Ok(());
        }
        context.then(job(if n == 1 { "after a" } else { "after b" }, n + 10));
        if n == 1 { Ok(()) } else { Err(failing().as_terminal()) }
    });
    rig.drain(rig.worker(handler)).await;
    assert_eq!(rig.meta("after a").await.state, State::Completed);
    assert_eq!(rig.find("after b").await, None);
}

#[tokio::test(start_paused = true)]
async fn an_observer_that_panics_harms_nobody() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1), job("b", 2)]).await;
    let worker = rig.worker(router(|n, _| async move { Ok(n) }));
    let report = rig.drain(worker.on_event(|event: &WorkerEvent| panic!("cannot stand {event:?}"))).await;
    assert_eq!((report.started, report.completed), (2, 2));
}

#[tokio::test(start_paused = true)]
async fn a_retry_function_that_panics_means_the_default_wait() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let worker = rig.worker(router(|_, _| async { Err::<(), _>(failing()) }));
    let report = rig.drain(worker.retry(RetryPolicy::custom(|n| panic!("no wait after {n}")))).await;
    assert_eq!((report.failing, report.failed), (2, 1));
    assert_eq!(rig.events.times_of("started a"), [0, 1000, 3000]);
}
