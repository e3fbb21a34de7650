//! A worker that ends in good order when its process is asked to end. It has a test binary of its
//! own, since a signal reaches the whole process.

#![cfg(unix)]

use queue_core::{ContentType, JobId, Kind, NewJob, Payload, QueueName, State, Storage};
use queue_memory::MemoryStorage;
use queue_worker::{Router, Worker, second_shutdown_signal, shutdown_signal};
use rustix::process::{Signal, getpid, kill_process};
use std::{sync::Arc, time::Duration};
use tokio::sync::Mutex;

/// A signal reaches every test of the process that waits for one.
static ONE_AT_A_TIME: Mutex<()> = Mutex::const_new(());

#[tokio::test]
async fn a_signal_lets_the_running_job_finish_and_nothing_else_start() {
    let _alone = ONE_AT_A_TIME.lock().await;
    for (name, signal) in [("terminate", Signal::TERM), ("interrupt", Signal::INT)] {
        let (store, queue) = (Arc::new(MemoryStorage::new()), QueueName::from_static("work"));
        let job = |id| {
            let payload = Payload::new("null", ContentType::from_static("application/json"));
            NewJob::new(JobId::from_static(id), Kind::unnamed(), payload)
        };
        store.enqueue(&queue, vec![vec![job("running"), job("waiting")]]).await.expect("stored");
        let router = Router::new(()).handle("default", move |(): (), _| async move {
            kill_process(getpid(), signal)?;
            tokio::time::sleep(Duration::from_millis(50)).await; // it is delivered meanwhile
            Ok(())
        });
        let router = router.expect("one kind");
        let worker =
            Worker::builder(store.clone(), queue.clone(), router).concurrency(1).build().expect("valid");

        let report = worker.run_until(shutdown_signal()).await;
        assert_eq!((report.started, report.completed), (1, 1), "{name}");
        let counts = store.counts(&queue).await.expect("counted");
        assert_eq!((counts.of(State::Completed), counts.of(State::Queued)), (1, 1), "{name}");
    }
}

#[tokio::test]
async fn a_signal_that_comes_before_anybody_waits_is_not_lost() {
    let _alone = ONE_AT_A_TIME.lock().await;
    let asked = shutdown_signal();
    kill_process(getpid(), Signal::TERM).expect("one's own process");
    asked.await;
}

#[tokio::test]
async fn a_second_signal_cuts_the_wait_for_a_running_handler_short() {
    let _alone = ONE_AT_A_TIME.lock().await;
    let (store, queue) = (Arc::new(MemoryStorage::new()), QueueName::from_static("work"));
    let payload = Payload::new("null", ContentType::from_static("application/json"));
    let job = NewJob::new(JobId::from_static("endless"), Kind::unnamed(), payload);
    store.enqueue(&queue, vec![vec![job]]).await.expect("stored");
    let router = Router::new(()).handle("default", |(): (), context| async move {
        kill_process(getpid(), Signal::INT)?;
        context.cancelled().await; // long after the first signal, unless there is a second one
        Ok(())
    });
    let worker = Worker::builder(store, queue, router.expect("one kind")).build().expect("valid");
    let asked = shutdown_signal();
    let ended_early = tokio::select! {
        _report = worker.run_until(async {
            asked.await;
            kill_process(getpid(), Signal::TERM).expect("one's own process");
        }) => false,
        () = second_shutdown_signal() => true,
    };
    assert!(ended_early, "the drain went on");
}
