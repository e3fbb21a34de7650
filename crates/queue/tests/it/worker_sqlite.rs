//! The worker on real files, in real time: these tests wait for signals, never for a guessed time.

use crate::support::spawn;
use futures_util::StreamExt;
use queue::queue_core::Span;
use queue::{
    JobId, JobOptions, Policy, Queue, RetryPolicy, Settled, State, Storage, SystemRng, WorkerId, open,
    queue_core::{ClaimRequest, Hint, Interest},
    rusqlite::{Connection, TransactionBehavior},
    worker::{Context, JobError, Router},
};
use std::{sync::Arc, time::Duration};
use tempfile::TempDir;
use tokio::sync::Semaphore;

/// A queue in its own file, which goes with the directory.
async fn on_file() -> (TempDir, Queue<u64, u64>) {
    let directory = tempfile::tempdir().expect("a directory");
    let url = format!("sqlite:{}/jobs.db", directory.path().display());
    let policy = Policy::default().retry(RetryPolicy::Fixed(Duration::from_millis(20)));
    let queue = Queue::builder(open(&url).await.expect("opens"), "numbers").policy(policy).build();
    (directory, queue.expect("valid"))
}

async fn put(queue: &Queue<u64, u64>, jobs: u64) {
    for n in 0..jobs {
        assert!(queue.enqueue(n.to_string(), n).await.expect("stored").is_new());
    }
}

async fn state(queue: &Queue<u64, u64>, id: &str) -> State {
    queue.status(id).await.expect("reads").expect("is there").state()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_job_completes_once_with_its_own_result() {
    let (_directory, queue) = on_file().await;
    put(&queue, 200).await;
    let router = Router::new(()).handle("default", |n: u64, _| async move { Ok(n * n) }).unwrap();
    let report = queue.worker(router).until_empty().build().unwrap().run().await;
    assert_eq!((report.started, report.completed), (200, 200));
    for n in 0..200 {
        assert_eq!(queue.result(n.to_string()).await.unwrap(), Some(n * n));
    }
    assert_eq!(queue.storage().verify().await.unwrap(), Vec::<String>::new());
}

#[tokio::test]
async fn a_failed_attempt_runs_again_when_it_is_due() {
    let (_directory, queue) = on_file().await;
    put(&queue, 1).await;
    let second_time = |n: u64, context: Context| async move {
        if context.attempt() == 2 { Ok(n) } else { Err(JobError::named("Io", "not yet")) }
    };
    let router = Router::new(()).handle("default", second_time).unwrap();
    let report = queue.worker(router).until_empty().build().unwrap().run().await;
    assert_eq!((report.failing, report.completed), (1, 1));
}

#[tokio::test]
async fn a_stop_lets_the_running_job_finish_and_gives_the_others_back_uncharged() {
    let (_directory, queue) = on_file().await;
    put(&queue, 5).await;
    let (started, may_end) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
    let gates = (started.clone(), may_end.clone());
    let router = Router::new(gates)
        .handle("default", |n: u64, context: Context<(Arc<Semaphore>, Arc<Semaphore>)>| async move {
            context.state().0.add_permits(1);
            context.state().1.acquire().await?.forget();
            Ok(n)
        })
        .unwrap();
    let worker = queue.worker(router).concurrency(1).build().unwrap();
    let stop = worker.stop_token();
    let running = spawn(worker.run());
    started.acquire().await.unwrap().forget();
    stop.cancel();
    may_end.add_permits(1);
    let report = running.await.unwrap();
    assert_eq!((report.completed, report.started), (1, 1));
    assert_eq!(state(&queue, "0").await, State::Completed);
    for id in ["1", "2", "3", "4"] {
        let status = queue.status(id).await.unwrap().unwrap();
        assert_eq!((status.state(), status.attempts()), (State::Queued, 0), "{id}");
    }
}

#[tokio::test]
async fn the_job_of_a_worker_that_vanished_runs_again() {
    let (_directory, queue) = on_file().await;
    put(&queue, 1).await;
    let vanished = WorkerId::from_static("vanished");
    let lease = Span::from_millis(50);
    let request = ClaimRequest::new(queue.name().clone(), vanished, 1, lease, &SystemRng);
    assert_eq!(queue.storage().claim(request).await.unwrap().jobs.len(), 1);
    let router = Router::new(())
        .handle("default", |n: u64, context: Context| async move {
            assert_eq!(context.meta().stalls, 1);
            Ok(n)
        })
        .unwrap();
    let report = queue.worker(router).until_empty().build().unwrap().run().await;
    assert_eq!((report.rescued, report.completed), (1, 1));
}

/// Waits for four heartbeats, which is longer than the lease, however slow the machine.
async fn outlive_the_lease(storage: Arc<dyn Storage>, context: Context<Arc<dyn Storage>>) {
    let (queue, id): (_, JobId) = (context.meta().queue.clone(), context.meta().id.clone());
    let changes = storage.subscribe(&queue, Interest::All).await.expect("subscribes");
    let mine = |hint: &Hint| matches!(hint, Hint::Job(change) if change.id == id);
    changes.filter(|hint| std::future::ready(mine(hint))).take(4).count().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn heartbeats_keep_the_lease_of_a_long_job() {
    let (_directory, queue) = on_file().await;
    put(&queue, 1).await;
    let router = Router::new(queue.storage().clone())
        .handle("default", |n: u64, context: Context<Arc<dyn Storage>>| async move {
            outlive_the_lease(context.state().clone(), context.clone()).await;
            Ok(n)
        })
        .unwrap();
    let lease = Duration::from_secs(3);
    let report = queue.worker(router).lease(lease).until_empty().build().unwrap().run().await;
    assert_eq!((report.started, report.completed, report.leases_lost), (1, 1, 0));
}

#[tokio::test]
async fn what_follows_a_completion_in_a_transaction_goes_on_with_the_trace() {
    const TRACE: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let (directory, queue) = on_file().await;
    let (path, own) = (directory.path().join("jobs.db"), queue.clone());
    let worker = queue.work_with(move |n, job| {
        let (path, queue) = (path.clone(), own.clone());
        async move {
            if n == 1 {
                job.then(queue.new_job("b", &2, &JobOptions::new())?);
                let mut connection = Connection::open(path)?;
                let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
                assert_eq!(queue.complete_in(&transaction, &job, &n)?, Settled::Done);
                transaction.commit()?;
                return Ok(n);
            }
            Ok(u64::from(job.headers().get("traceparent") == Some(TRACE)))
        }
    });
    queue.enqueue_with("a", 1, JobOptions::new().header("traceparent", TRACE)).await.unwrap();
    worker.until_empty().build().unwrap().run().await;
    assert_eq!(queue.result("b").await.unwrap(), Some(1));
}
