//! Tests of the task queue: types, the user's retry waits, and the slots of a worker.

use crate::stores::{on_each_store, on_manual_clocks, tells, until};
use queue::{
    ErrorKind, Reason, State,
    worker::{Context, JobError},
};
use queue_faces::{
    Stage,
    task_queue::{Handlers, Slots, Task, TaskQueue, demo},
};
use serde::{Deserialize, Serialize};
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::sync::Semaphore;

#[derive(Debug, Serialize, Deserialize)]
struct Double(u32);

#[derive(Debug, Serialize, Deserialize)]
struct Shout(String);

impl Task for Double {
    const KIND: &'static str = "double";
    type Output = u32;
}

impl Task for Shout {
    const KIND: &'static str = "shout";
    type Output = String;
}

const ONE: Slots = Slots { running: 1, prefetched: 0 };

fn tasks(stage: &Stage) -> TaskQueue {
    TaskQueue::new(stage.store(), stage.queue(), 3, |_| Some(Duration::ZERO)).expect("valid")
}

async fn double(Double(n): Double, _: Context) -> Result<u32, JobError> {
    Ok(n * 2)
}

async fn fail(_: Double, _: Context) -> Result<u32, JobError> {
    Err(JobError::named("Busy", "not now"))
}

#[tokio::test]
async fn the_demonstration_tells_what_happens() {
    let expected = [
        "submitted later: true, normal: true, urgent: true",
        "  greet Ada",
        "  urgent is done on attempt 1",
        "  add 20 and 22",
        "  normal is done on attempt 1",
        "  greet Bob",
        "  later is done on attempt 1",
        "outputs: hello, Ada, 42",
        "  flaky failed on attempt 1, next try in 10ms",
        "  flaky failed on attempt 2, next try in 20ms",
        "  flaky is done on attempt 3",
        "  hopeless failed on attempt 1, next try in 10ms",
        "  hopeless failed on attempt 2, next try in 20ms",
        "  hopeless is given up after attempt 3: exhausted",
        "500 tasks, 3 workers: 500 ran once, 0 more often",
        "never more than 24 were leased: true",
        "0 are unfinished",
    ];
    tells(demo, &expected).await;
}

#[tokio::test]
async fn tasks_of_several_types_share_a_queue_and_leave_outputs_of_their_own_types() {
    on_each_store(async |stage| {
        let tasks = tasks(stage);
        let shout = |Shout(text): Shout, _: Context| async move { Ok::<_, JobError>(text.to_uppercase()) };
        let handlers = || Handlers::new(()).on(double).expect("new").on(shout).expect("new");
        assert!(tasks.submit("d", Double(21), 0).await.expect("stores").is_new());
        assert!(tasks.submit("s", Shout("hey".to_owned()), 0).await.expect("stores").is_new());
        tasks.worker(handlers(), ONE).until_empty().build().expect("valid").run().await;
        assert_eq!(tasks.output::<Double>("d").await.expect("reads"), Some(42));
        assert_eq!(tasks.output::<Shout>("s").await.expect("reads").as_deref(), Some("HEY"));
        let mistaken = tasks.output::<Double>("s").await.expect_err("text is no number");
        assert_eq!(mistaken.kind(), ErrorKind::Invalid);
        let twice = handlers().on(double).expect_err("it has a handler");
        assert_eq!(twice.kind(), ErrorKind::Invalid);
    })
    .await;
}

#[tokio::test]
async fn a_failed_task_waits_exactly_as_the_users_function_says() {
    on_manual_clocks(async |stage, clock| {
        let seconds = |n: u32| Some(Duration::from_secs(7) * n);
        let tasks = TaskQueue::new(stage.store(), stage.queue(), 4, seconds).expect("valid");
        assert!(tasks.submit("a", Double(1), 0).await.expect("stores").is_new());
        for failures in 1..=3 {
            run_due(&tasks).await;
            let status = tasks.status("a").await.expect("reads").expect("is there");
            assert_eq!((status.state(), status.due_in()), (State::Failing, seconds(failures)));
            clock.advance(Duration::from_secs(7) * failures);
        }
        run_due(&tasks).await;
        let status = tasks.status("a").await.expect("reads").expect("is there");
        assert_eq!((status.state(), status.meta.reason), (State::Failed, Some(Reason::Exhausted)));
    })
    .await;
}

async fn run_due(tasks: &TaskQueue) {
    let handlers = Handlers::new(()).on(fail).expect("new");
    assert_eq!(tasks.worker(handlers, ONE).until_idle().build().expect("valid").run().await.started, 1);
}

#[tokio::test]
async fn the_users_function_can_give_a_task_up_before_its_attempts_are_spent() {
    on_each_store(async |stage| {
        let once = |n: u32| (n < 2).then_some(Duration::ZERO);
        let tasks = TaskQueue::new(stage.store(), stage.queue(), 100, once).expect("valid");
        assert!(tasks.submit("a", Double(1), 0).await.expect("stores").is_new());
        let handlers = Handlers::new(()).on(fail).expect("new");
        let report = tasks.worker(handlers, ONE).until_empty().build().expect("valid").run().await;
        assert_eq!((report.started, report.failing, report.failed), (2, 1, 1));
    })
    .await;
}

/// What the handlers of the test below share.
struct Gate {
    tasks: TaskQueue,
    permits: Semaphore,
    running: AtomicUsize,
    running_max: AtomicUsize,
}

#[tokio::test]
async fn a_worker_holds_its_slots_and_its_prefetch_and_never_more() {
    let slots = Slots { running: 2, prefetched: 3 };
    on_each_store(async |stage| {
        let gate = Arc::new(Gate {
            tasks: tasks(stage),
            permits: Semaphore::new(0),
            running: AtomicUsize::new(0),
            running_max: AtomicUsize::new(0),
        });
        let stored = gate.tasks.submit_many((0..60).map(Double)).await.expect("stores");
        assert_eq!(stored.len(), 60);
        let handlers = Handlers::new(gate.clone()).on(wait_at_gate).expect("new");
        let worker = gate.tasks.worker(handlers, slots).until_empty().build().expect("valid");
        let leased = async || gate.tasks.counts().await.expect("counts").of(State::Processing);
        let (report, ()) = tokio::join!(worker.run(), async {
            until(async || leased().await == 5).await;
            gate.permits.add_permits(60);
        });
        assert_eq!((report.started, report.completed), (60, 60));
        assert_eq!(gate.running_max.load(Ordering::SeqCst), 2);
    })
    .await;
}

async fn wait_at_gate(Double(n): Double, context: Context<Arc<Gate>>) -> Result<u32, JobError> {
    let gate = context.state();
    let running = gate.running.fetch_add(1, Ordering::SeqCst) + 1;
    gate.running_max.fetch_max(running, Ordering::SeqCst);
    gate.permits.acquire().await?.forget();
    let leased = gate.tasks.counts().await?.of(State::Processing);
    gate.running.fetch_sub(1, Ordering::SeqCst);
    // Reported by the counts of the worker: more than the slots would fail the task for good.
    if leased <= 5 { Ok(n) } else { Err(JobError::named("TooMany", leased).as_terminal()) }
}
