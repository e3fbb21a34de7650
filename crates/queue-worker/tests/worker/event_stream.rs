//! Events as a stream, for readers at their own pace.

use crate::support::{Rig, job, millis, router};
use futures_util::StreamExt;
use queue_core::{Retention, RetryPolicy};
use queue_worker::{Before, Context, JobEnd, JobError, WorkerEvent, WorkerEvents, before_fn};
use std::time::Duration;
use tokio::time::sleep;

/// Reads events until the worker has ended.
async fn all(events: WorkerEvents) -> Vec<WorkerEvent> {
    tokio::time::timeout(crate::support::FOREVER, events.collect()).await.expect("the stream ends")
}

/// Runs a worker until the queue is empty, and returns the events of its stream.
async fn streamed(builder: queue_worker::WorkerBuilder) -> Vec<WorkerEvent> {
    let worker = builder.until_empty().build().expect("valid settings");
    let events = worker.events();
    worker.run().await;
    drop(worker);
    all(events).await
}

#[tokio::test(start_paused = true)]
async fn a_stream_tells_what_the_observer_hears_in_order_and_ends_with_the_worker() {
    let rig = Rig::new();
    rig.enqueue((0..20).map(|n| job(&n.to_string(), n))).await;
    let worker = rig.worker(router(|n, _| async move { Ok(n) })).until_empty().build().expect("valid");
    let (first, second) = (worker.events(), worker.events());
    worker.run().await;
    drop(worker);
    let (first, second) = (all(first).await, all(second).await);
    assert_eq!(first.len(), 40);
    let texts = |events: &[WorkerEvent]| events.iter().map(|it| format!("{it:?}")).collect::<Vec<_>>();
    assert_eq!(texts(&first), texts(&second));
    let started = first.iter().filter(|it| matches!(it, WorkerEvent::Started(_))).count();
    assert_eq!((started, rig.events.labels().len()), (20, 40));
}

#[tokio::test(start_paused = true)]
async fn an_end_tells_attempt_duration_and_error() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1).with_retention(Retention::Remove)]).await;
    let handler = router(|_, context: Context| async move {
        sleep(millis(100) * context.attempt()).await;
        match context.epoch() {
            1 => Err::<(), _>(JobError::named("First", "password=x").with_details("more")),
            // A snooze charges nothing, so the second attempt is made twice.
            2 => Err(JobError::snooze(millis(5))),
            _ => Err(JobError::named("Last", "no more").as_terminal()),
        }
    });
    let events = streamed(rig.worker(handler).retry(RetryPolicy::Fixed(Duration::from_millis(1)))).await;
    let ends: Vec<(&str, &JobEnd)> = events.iter().filter_map(end).collect();
    let seen: Vec<_> = ends
        .iter()
        .map(|(name, end)| {
            (*name, end.attempt, end.ran_for, end.error.as_ref().map(queue_core::Failure::message))
        })
        .collect();
    let ran = |millis| Some(Duration::from_millis(millis));
    assert_eq!(
        seen,
        [
            ("failing", 1, ran(100), Some("password=***")),
            ("released", 2, ran(200), None),
            ("failed", 2, ran(200), Some("no more")),
        ]
    );
    assert_eq!(ends[0].1.error.as_ref().and_then(|error| error.details()).expect("told"), "more");
    assert_eq!(rig.find("a").await, None, "the record is gone, and the event says why it failed");
}

fn end(event: &WorkerEvent) -> Option<(&'static str, &JobEnd)> {
    match event {
        WorkerEvent::Completed(end) => Some(("completed", end)),
        WorkerEvent::Failing(end) => Some(("failing", end)),
        WorkerEvent::Failed(end) => Some(("failed", end)),
        WorkerEvent::Released(end) => Some(("released", end)),
        WorkerEvent::Cancelled(end) => Some(("cancelled", end)),
        _ => None,
    }
}

#[tokio::test(start_paused = true)]
async fn a_job_that_never_started_has_no_duration() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1), job("b", 2)]).await;
    let slow = router(|_, _| async {
        sleep(millis(1000)).await;
        Ok(())
    });
    let worker = rig.worker(slow).concurrency(1).build().expect("valid settings");
    let (mut events, stop) = (worker.events(), worker.stop_token());
    let running = crate::support::spawn(worker.run());
    rig.events.wait_for("started a").await;
    stop.cancel();
    running.await.expect("it does not panic");
    drop(worker);
    let mut ends = Vec::new();
    while let Some(event) = events.next().await {
        ends.extend(end(&event).map(|(name, end)| (name, end.meta.id.to_string(), end.ran_for)));
    }
    let expected =
        [("released", "b".to_owned(), None), ("completed", "a".to_owned(), Some(Duration::from_secs(1)))];
    assert_eq!(ends, expected);
}

#[tokio::test(start_paused = true)]
async fn a_job_that_a_hook_answered_has_no_duration() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let refuse = before_fn(|_| async {
        sleep(millis(100)).await;
        Ok(Before::Answer(Err(JobError::named("No", "not this one").as_terminal())))
    });
    let events = streamed(rig.worker(router(|n, _| async move { Ok(n) })).hook(refuse)).await;
    let [(name, end)] = events.iter().filter_map(end).collect::<Vec<_>>()[..] else { panic!("{events:?}") };
    assert_eq!((name, end.attempt, end.ran_for), ("failed", 1, None));
}

#[tokio::test(start_paused = true)]
async fn a_reader_that_is_too_slow_loses_the_oldest_and_is_told_and_holds_up_nobody() {
    let rig = Rig::new();
    rig.enqueue((0..3000).map(|n| job(&n.to_string(), n))).await;
    let events = streamed(rig.worker(router(|n, _| async move { Ok(n) }))).await;
    let WorkerEvent::Lagged(lost) = events[0] else { panic!("it lost some, not {:?}", events[0]) };
    assert_eq!((lost, events.len()), (6000 - 4096, 1 + 4096));
    assert!(!events[1..].iter().any(|event| matches!(event, WorkerEvent::Lagged(_))), "told once");
    assert_eq!(rig.events.labels().len(), 6000, "the observer heard of all");
}

#[tokio::test(start_paused = true)]
async fn a_reader_that_leaves_disturbs_nobody() {
    let rig = Rig::new();
    rig.enqueue((0..20).map(|n| job(&n.to_string(), n))).await;
    let worker = rig.worker(router(|n, _| async move { Ok(n) })).until_empty().build().expect("valid");
    drop(worker.events());
    let stays = worker.events();
    assert_eq!(worker.run().await.completed, 20);
    drop(worker);
    assert_eq!(all(stays).await.len(), 40);
}

#[tokio::test(start_paused = true)]
async fn a_stream_may_be_asked_for_while_the_worker_runs_and_hears_of_later_runs_too() {
    let rig = Rig::new();
    let worker = rig.worker(router(|n, _| async move { Ok(n) })).build().expect("valid settings");
    let (stop, running) = (worker.stop_token(), crate::support::spawn(worker.run()));
    sleep(millis(10)).await;
    let mut events = worker.events();
    rig.enqueue([job("a", 1)]).await;
    assert_eq!(completed(&mut events).await, "a");
    stop.cancel();
    running.await.expect("it does not panic");

    rig.enqueue([job("b", 2)]).await;
    let (stop, running) = (worker.stop_token(), crate::support::spawn(worker.run()));
    assert_eq!(completed(&mut events).await, "b");
    stop.cancel();
    running.await.expect("it does not panic");
}

/// The next job that completes.
async fn completed(events: &mut WorkerEvents) -> String {
    loop {
        if let WorkerEvent::Completed(end) = events.next().await.expect("the worker is there") {
            return end.meta.id.to_string();
        }
    }
}
