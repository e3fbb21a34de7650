//! Handlers that block their thread.

use crate::support::{Fault, Rig, job, millis};
use queue_core::{Pause, RetryPolicy, State, Storage};
use queue_worker::{CancelReason, Context, JobError, Router};
use std::sync::{
    Mutex,
    atomic::{AtomicU32, Ordering},
    mpsc,
};
use std::time::Duration;
use tokio::time::advance;

/// A handler that reports that it runs, and then blocks until the test gives its answer.
pub(crate) fn blocked() -> (Router, mpsc::Receiver<Context>, mpsc::Sender<Result<u32, JobError>>) {
    let (running, has_started) = mpsc::channel();
    let (answer, answers) = mpsc::channel();
    let answers = Mutex::new(answers);
    let router = Router::new(()).handle_blocking("work", move |_: u32, context: Context| {
        running.send(context).expect("the test listens");
        answers.lock().expect("unpoisoned").recv().expect("the test answers")
    });
    (router.expect("one kind"), has_started, answer)
}

/// Lets other tasks run until the handler is on its thread. Time stands still meanwhile.
pub(crate) async fn started(has_started: &mpsc::Receiver<Context>) -> Context {
    loop {
        match has_started.try_recv() {
            Ok(context) => return context,
            Err(_) => tokio::task::yield_now().await,
        }
    }
}

pub(crate) async fn pass(time: u64) {
    // Time moves in steps, so that every timer on the way fires in its turn.
    for _ in 0..time / 10 {
        advance(millis(10)).await;
        tokio::task::yield_now().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_blocking_handler_gets_payload_and_state_and_leaves_a_result() {
    let rig = Rig::new();
    rig.enqueue([job("a", 20), job("b", 1)]).await;
    let router =
        Router::new(AtomicU32::new(0)).handle_blocking("work", |n: u32, context: Context<AtomicU32>| {
            context.state().fetch_add(1, Ordering::SeqCst);
            if n == 1 { Err(JobError::named("Odd", "it is one").as_terminal()) } else { Ok(n * 2) }
        });
    let events = rig.events.clone();
    let worker =
        queue_worker::Worker::builder(rig.store.clone(), rig.queue.clone(), router.expect("one kind"))
            .on_event(move |event| events.push(event));
    let report = rig.drain(worker).await;
    assert_eq!((report.completed, report.failed), (1, 1));
    assert_eq!(rig.record("a").await.result().expect("completed").bytes, "40");
    assert_eq!(rig.meta("b").await.last_error.expect("stored").name(), "Odd");
}

#[tokio::test(start_paused = true)]
async fn a_blocking_handler_that_panics_is_a_failed_attempt() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let router = Router::new(()).handle_blocking("work", |n: u32, _: Context| -> Result<(), JobError> {
        panic!("cannot stand number {n}")
    });
    rig.drain(rig.worker(router.expect("one kind")).retry(RetryPolicy::Fixed(Duration::ZERO))).await;
    let meta = rig.meta("a").await;
    let error = meta.last_error.expect("stored");
    assert_eq!((meta.failures, error.name(), error.message()), (3, "Panic", "cannot stand number 1"));
}

#[tokio::test(start_paused = true)]
async fn a_blocking_handler_over_its_limit_is_told_and_judged_when_it_ends() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let (router, has_started, answer) = blocked();
    let worker = rig.worker(router).time_limit(millis(1000)).grace(millis(500)).lease(millis(900));
    let running = Rig::start(worker);
    let context = started(&has_started).await;
    pass(10_000).await;
    assert_eq!(context.cancel_reason(), Some(CancelReason::TimeLimit));
    assert_eq!(rig.events.labels(), ["started a"], "no second attempt beside it");
    assert_eq!(rig.meta("a").await.state, State::Processing, "its lease is kept alive");
    answer.send(Err(JobError::named("Test", "too late").as_terminal())).expect("it listens");
    rig.events.wait_for("failed a").await;
    assert_eq!(rig.meta("a").await.last_error.expect("stored").name(), "TimeLimit");
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_blocking_handler_at_the_end_of_a_stop_keeps_its_lease_and_is_reported() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let (router, has_started, answer) = blocked();
    let worker = rig.worker(router).drain_deadline(millis(1000)).grace(millis(500)).lease(millis(900));
    let running = Rig::start(worker);
    let context = started(&has_started).await;
    running.stop.cancel();
    pass(1400).await;
    assert_eq!(context.cancel_reason(), Some(CancelReason::Shutdown));
    assert_eq!(rig.events.labels(), ["started a"]);
    pass(200).await;
    let report = running.ended().await;
    assert_eq!((report.released, report.abandoned), (0, 1));
    assert_eq!(rig.meta("a").await.state, State::Processing, "nobody else may start it");
    assert!(rig.events.labels().last().is_some_and(|last| last.starts_with("abandoned a, still runs under")));
    pass(1000).await;
    let before = rig.meta("a").await;
    answer.send(Ok(1)).expect("it listens");
    assert_eq!((before.state, before.stalls), (State::Processing, 0), "left to lapse");
    assert_eq!(
        rig.drain(rig.worker(Router::new(()).handle_blocking("work", |n: u32, _| Ok(n)).expect("one kind")))
            .await
            .rescued,
        1
    );
}

#[tokio::test(start_paused = true)]
async fn a_blocking_handler_that_ends_within_the_grace_counts() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let (router, has_started, answer) = blocked();
    let running = Rig::start(rig.worker(router).drain_deadline(millis(1000)).grace(millis(500)));
    started(&has_started).await;
    running.stop.cancel();
    pass(1400).await;
    answer.send(Ok(7)).expect("it listens");
    let report = running.ended().await;
    assert_eq!((report.completed, report.abandoned), (1, 0));
    assert_eq!(rig.record("a").await.result().expect("completed").bytes, "7");
}

/// Runs a test on a runtime with one thread for blocking work, under paused time.
fn with_one_thread(test: impl Future<Output = ()>) {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime =
        runtime.enable_time().start_paused(true).max_blocking_threads(1).build().expect("a runtime");
    runtime.block_on(test);
}

#[test]
fn a_blocking_handler_that_was_given_up_before_its_turn_does_not_start() {
    with_one_thread(async {
        let rig = Rig::new();
        rig.enqueue([job("a", 1), job("b", 2)]).await;
        let (router, has_started, answer) = blocked();
        let running = Rig::start(rig.worker(router).drain_deadline(millis(100)).grace(millis(100)));
        started(&has_started).await;
        rig.events.wait_for("started b").await;
        running.stop.cancel();
        pass(300).await;
        assert_eq!(running.ended().await.abandoned, 2);
        answer.send(Ok(1)).expect("it listens");
        // The thread finishes its work, and then closes the channel.
        assert!(has_started.recv().is_err(), "the second never started");
    });
}

#[test]
fn a_blocking_handler_over_its_limit_that_was_given_up_before_its_turn_does_not_start() {
    with_one_thread(async {
        let rig = Rig::new();
        rig.enqueue([job("a", 1), job("b", 2)]).await;
        let (router, has_started, answer) = blocked();
        let worker = rig.worker(router).time_limit(millis(50)).drain_deadline(millis(100));
        let running = Rig::start(worker.grace(millis(100)));
        started(&has_started).await;
        rig.events.wait_for("started b").await;
        pass(100).await;
        running.stop.cancel();
        pass(300).await;
        assert_eq!(running.ended().await.abandoned, 2);
        answer.send(Ok(1)).expect("it listens");
        assert!(has_started.recv().is_err(), "the second never started");
    });
}

#[test]
fn a_blocking_handler_over_its_limit_that_lost_its_lease_before_its_turn_does_not_start() {
    with_one_thread(async {
        let rig = Rig::new();
        rig.enqueue([job("a", 1), job("b", 2)]).await;
        rig.store.script().on_heartbeat = Some(Box::new(|_| Fault::Hang));
        let (router, has_started, answer) = blocked();
        let running = Rig::start(rig.worker(router).time_limit(millis(50)).lease(millis(900)));
        started(&has_started).await;
        rig.events.wait_for("started b").await;
        rig.store.set_paused(&rig.queue, None, Pause::UntilResumed).await.expect("nothing is claimed again");
        pass(1000).await;
        answer.send(Ok(1)).expect("it listens");
        answer.send(Ok(2)).expect("it listens");
        running.stop().await;
        assert!(has_started.try_recv().is_err(), "the second never started");
    });
}
