//! Tests of the work queue: names, claims, failures, dead letters, and the processor's handlers.

use crate::stores::{in_paused_time, on_each_store, tells};
use queue::{
    ErrorKind, RetryPolicy, Settled, State,
    worker::runtime::{Finality, handler_fn},
};
use queue_faces::{
    Stage,
    work_queue::{Mux, Task, TaskError, WorkQueue, demo, serve},
};
use serde_json::json;
use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

const LONG: Duration = Duration::from_mins(5);

fn work_queue(stage: &Stage) -> WorkQueue {
    retrying(stage, Duration::ZERO)
}

fn retrying(stage: &Stage, wait: Duration) -> WorkQueue {
    WorkQueue::new(stage.store(), stage.queue(), LONG, RetryPolicy::Fixed(wait)).expect("valid")
}

async fn schedule(work: &WorkQueue, name: &str) -> bool {
    work.schedule(name, "email", json!(name), Duration::ZERO).await.expect("stores")
}

async fn claim_one(work: &WorkQueue) -> Task {
    work.claim(1).await.expect("claims").pop().expect("one is due")
}

#[tokio::test]
async fn the_demonstration_tells_what_happens() {
    let expected = [
        "a kind twice: the kind \"email\" has a handler already",
        "no kind: a kind must not be empty",
        "schedule invoice-7, kind email: inserted",
        "a program claims invoice-7 and hangs",
        "  invoice-7 attempt 2: done",
        "the hanging program marks it done: lease lost, nothing is changed",
        "the hanging program marks it failed: lease lost, nothing is changed",
        "schedule welcome-ada, kind email: inserted",
        "schedule welcome-ada, kind email: is there already",
        "schedule invoice-8, kind flaky: inserted",
        "schedule invoice-9, kind broken: inserted",
        "schedule invoice-10, kind fax: inserted",
        "schedule digest, kind email: inserted",
        "  welcome-ada attempt 1: done",
        "  invoice-8 attempt 1: failed, will be tried again: the printer is busy",
        "  invoice-9 attempt 1: failed for good: no such customer",
        "  invoice-8 attempt 2: done",
        "3 done, 2 dead, 1 for tomorrow",
        "dead letters older than a day removed: 0",
        "all dead letters removed: 2",
    ];
    tells(demo, &expected).await;
}

#[tokio::test]
async fn a_name_is_taken_while_its_task_waits_runs_is_done_or_is_a_dead_letter() {
    on_each_store(async |stage| {
        let work = work_queue(stage);
        assert!(schedule(&work, "a").await && !schedule(&work, "a").await);
        let task = claim_one(&work).await;
        assert!(!schedule(&work, "a").await);
        assert_eq!(work.mark_done(&task).await.expect("marks"), Settled::Done);
        assert!(!schedule(&work, "a").await);

        assert!(schedule(&work, "b").await);
        let task = claim_one(&work).await;
        let marked = work.mark_failed(&task, "no use", Finality::Terminal).await.expect("marks");
        assert_eq!(marked, Settled::Done);
        assert!(!schedule(&work, "b").await);
        assert_eq!(work.cleanup(Duration::ZERO).await.expect("cleans up"), 1);
        assert!(schedule(&work, "b").await);
    })
    .await;
}

#[tokio::test]
async fn a_claim_takes_the_longest_due_tasks_and_no_more_than_asked() {
    on_each_store(async |stage| {
        let work = work_queue(stage);
        for name in ["a", "b", "c"] {
            assert!(schedule(&work, name).await);
        }
        let names = |tasks: &[Task]| tasks.iter().map(|task| task.id().to_string()).collect::<Vec<_>>();
        assert_eq!(names(&work.claim(2).await.expect("claims")), ["a", "b"]);
        assert_eq!(names(&work.claim(2).await.expect("claims")), ["c"]);
        assert!(work.claim(2).await.expect("claims").is_empty());
    })
    .await;
}

#[tokio::test]
async fn a_task_that_keeps_failing_becomes_a_dead_letter_once_its_attempts_are_spent() {
    on_each_store(async |stage| {
        let work = work_queue(stage);
        assert!(schedule(&work, "a").await);
        for attempt in 1..=25 {
            assert_eq!(work.counts().await.expect("counts").of(State::Failed), 0);
            let task = claim_one(&work).await;
            assert_eq!(task.attempt(), attempt);
            let marked = work.mark_failed(&task, "busy", Finality::Retryable).await.expect("marks");
            assert_eq!(marked, Settled::Done);
        }
        assert_eq!(work.counts().await.expect("counts").of(State::Failed), 1);
    })
    .await;
}

#[tokio::test]
async fn a_released_task_comes_back_uncharged() {
    on_each_store(async |stage| {
        let work = work_queue(stage);
        assert!(schedule(&work, "a").await);
        let task = claim_one(&work).await;
        assert_eq!(work.release(&task).await.expect("releases"), Settled::Done);
        assert_eq!(claim_one(&work).await.attempt(), 1);
        assert_eq!(work.mark_done(&task).await.expect("marks"), Settled::LeaseLost);
    })
    .await;
}

#[tokio::test]
async fn bad_names_and_kinds_are_refused_and_store_nothing() {
    on_each_store(async |stage| {
        let work = work_queue(stage);
        for (name, kind) in [("", "email"), ("a", ""), ("a\n", "email"), ("a", &"x".repeat(256))] {
            let error = work.schedule(name, kind, json!(1), Duration::ZERO).await.expect_err("refused");
            assert_eq!(error.kind(), ErrorKind::Invalid, "{name:?} {kind:?}");
        }
        assert_eq!(work.counts().await.expect("counts").total(), 0);
    })
    .await;
}

#[tokio::test]
async fn a_handler_that_panics_fails_its_task_alone() {
    on_each_store(async |stage| {
        let work = retrying(stage, Duration::MAX);
        let panics = work.schedule("bad", "panics", json!(1), Duration::ZERO);
        assert!(panics.await.expect("stores") && schedule(&work, "good").await);
        let stop = CancellationToken::new();
        let panicking = handler_fn(|_: Task| async { panic!("a bug") });
        let stop_after = stop.clone();
        let emails = handler_fn(move |_: Task| {
            stop_after.cancel();
            async { Ok::<(), TaskError>(()) }
        });
        let mux = Mux::new().on("panics", panicking).expect("new").on("email", emails).expect("new");
        serve(&work, mux, 1, LONG).expect("valid").run(stop).await.expect("ends well");
        let counts = work.counts().await.expect("counts");
        assert_eq!((counts.of(State::Completed), counts.unfinished()), (1, 1));
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_hangs_is_dropped_and_its_failure_marked_before_the_lease_ends() {
    let stage = in_paused_time();
    let work = work_queue(&stage);
    assert!(schedule(&work, "a").await);
    let (begun, stop, outcome) = (Instant::now(), CancellationToken::new(), Arc::new(OnceLock::new()));
    let (stop_after, by_handler) = (stop.clone(), outcome.clone());
    let hangs_once = handler_fn(move |task: Task| {
        let (stop, by_handler) = (stop_after.clone(), by_handler.clone());
        async move {
            if task.attempt() == 1 {
                std::future::pending::<()>().await;
            }
            stop.cancel();
            let charged = (task.meta().failures, task.meta().stalls, begun.elapsed() < LONG);
            by_handler.set(charged).expect("one more attempt is enough");
            Ok::<(), TaskError>(())
        }
    });
    let mux = Mux::new().on("email", hangs_once).expect("new");
    serve(&work, mux, 1, LONG).expect("valid").run(stop).await.expect("ends well");
    assert_eq!(outcome.get(), Some(&(1, 0, true)), "a failure, no stall, within the lease");
    assert_eq!(work.counts().await.expect("counts").of(State::Completed), 1);
}

#[tokio::test(start_paused = true)]
async fn dead_letters_are_cleaned_away_once_they_are_old() {
    const HOUR: Duration = Duration::from_hours(1);
    let stage = in_paused_time();
    let work = work_queue(&stage);
    assert!(schedule(&work, "a").await);
    let marked = work.mark_failed(&claim_one(&work).await, "no use", Finality::Terminal).await;
    assert_eq!(marked.expect("marks"), Settled::Done);
    let (begun, stop) = (Instant::now(), CancellationToken::new());
    let served = serve(&work, Mux::new(), 1, HOUR).expect("valid").run(stop.clone());
    let (ended, ()) = tokio::join!(served, async {
        while work.counts().await.expect("counts").of(State::Failed) > 0 {
            assert!(begun.elapsed() < 2 * HOUR, "it is still there");
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        stop.cancel();
    });
    ended.expect("ends well");
    let taken = begun.elapsed();
    assert!(HOUR <= taken && taken < HOUR + LONG, "{taken:?}");
}
