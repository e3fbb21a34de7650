//! Workers that a queue handle makes.

use crate::support::{SECOND, memory};
use queue::{
    JobKind, JobOptions, MsgPack, Outcome, Policy, Queue, Reason, RetryPolicy, State, Unhandled, WaitError,
    worker::{JobError, Router},
};
use std::{future::ready, time::Duration};
use tokio::{sync::oneshot, time::Instant};

const SHOUT: JobKind<String, String> = JobKind::new("shout");
const COUNT: JobKind<String, usize> = JobKind::new("count");

#[tokio::test(start_paused = true)]
async fn a_worker_of_a_queue_answers_its_calls_and_uses_its_policy() {
    let policy = Policy::default().retry(RetryPolicy::Fixed(Duration::from_secs(7)));
    let queue: Queue<String, String> = Queue::builder(memory(), "texts").policy(policy).build().unwrap();
    let worker = queue.work_with(|text, _| async move {
        if text.is_empty() {
            return Err(JobError::named("Io", "broken"));
        }
        Ok(text.to_uppercase())
    });
    let (stop, stopped) = oneshot::channel::<()>();
    let running = crate::support::spawn(worker.build().unwrap().run_until(stopped));

    assert_eq!(queue.enqueue_and_wait("a", "ada".to_owned(), 10 * SECOND).await.unwrap(), "ADA");
    let begun = Instant::now();
    let twice = JobOptions::new().max_attempts(2);
    let error = queue.enqueue_and_wait_with("b", String::new(), twice, 60 * SECOND).await.unwrap_err();
    assert!(matches!(error, WaitError::Failed { reason: Reason::Exhausted, .. }), "{error}");
    assert_eq!(begun.elapsed().as_secs(), 7);
    stop.send(()).unwrap();
    let report = running.await.unwrap();
    assert_eq!((report.completed, report.failing, report.failed), (1, 1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_worker_does_not_begin_what_its_stop_came_before() {
    let queue: Queue<String> = Queue::new(memory(), "texts").unwrap();
    queue.enqueue("a", String::new()).await.unwrap();
    let worker = queue.work_with(|_, _| async move { Ok(()) }).build().unwrap();
    assert_eq!(worker.run_until(ready(())).await.started, 0);
    assert_eq!(queue.status("a").await.unwrap().unwrap().state(), State::Queued);
    assert_eq!(worker.run_until(tokio::time::sleep(SECOND)).await.completed, 1, "a worker can run again");
}

#[tokio::test(start_paused = true)]
async fn a_function_reads_and_writes_with_the_codec_of_its_queue() {
    let queue: Queue<Vec<u8>, f64> = Queue::builder(memory(), "numbers").codec(MsgPack).build().unwrap();
    queue.enqueue("a", vec![1, 2, 3]).await.unwrap();
    let worker = queue.work_with(|bytes, _| async move { Ok(f64::from(bytes[2]) / 0.0) });
    assert_eq!(worker.until_idle().build().unwrap().run().await.completed, 1);
    assert_eq!(queue.result("a").await.unwrap(), Some(f64::INFINITY));
}

#[tokio::test(start_paused = true)]
async fn kinds_of_one_queue_have_types_of_their_own() {
    let queue: Queue<()> = Queue::new(memory(), "texts").unwrap();
    queue.of(SHOUT).enqueue("a", "ada".to_owned()).await.unwrap();
    queue.of(COUNT).enqueue("b", "ada".to_owned()).await.unwrap();
    let router = Router::new("!".to_owned())
        .handle(SHOUT, |text, job| async move { Ok(text.to_uppercase() + job.state()) })
        .and_then(|router| router.handle(COUNT, |text, _| async move { Ok(text.len()) }))
        .unwrap();
    assert_eq!(queue.worker(router).until_idle().build().unwrap().run().await.completed, 2);
    assert_eq!(queue.of(SHOUT).result("a").await.unwrap().as_deref(), Some("ADA!"));
    assert_eq!(queue.of(COUNT).result("b").await.unwrap(), Some(3));
    assert_eq!(queue.status("b").await.unwrap().unwrap().meta.kind.as_str(), "count");
}

#[tokio::test(start_paused = true)]
async fn a_kind_that_one_worker_does_not_know_yet_is_left_for_the_next() {
    let queue: Queue<String, String> = Queue::new(memory(), "texts").unwrap();
    queue.of(COUNT).enqueue("a", "ada".to_owned()).await.unwrap();
    let old = queue.work_with(|text, _| async move { Ok(text) }).until_idle().build().unwrap();
    assert_eq!(old.run().await.failing, 1);
    let status = queue.status("a").await.unwrap().unwrap();
    assert_eq!((status.state(), status.meta.failures), (State::Failing, 1));
    assert_eq!(status.meta.last_error.unwrap().name(), "UnknownKind");

    let new =
        queue.of(COUNT).work_with(|text, _| async move { Ok(text.len()) }).until_empty().build().unwrap();
    assert_eq!(new.run().await.completed, 1);
    assert_eq!(queue.of(COUNT).result("a").await.unwrap(), Some(3));
}

#[tokio::test(start_paused = true)]
async fn a_worker_may_be_told_to_give_up_what_it_does_not_know() {
    let queue: Queue<String, String> = Queue::new(memory(), "texts").unwrap();
    queue.of(COUNT).enqueue("a", String::new()).await.unwrap();
    let worker = queue.work_with(|text, _| async move { Ok(text) }).on_unknown_kind(Unhandled::Fail);
    assert_eq!(worker.until_idle().build().unwrap().run().await.failed, 1);
    let outcome = queue.wait("a", SECOND).await.unwrap();
    assert!(matches!(outcome, Outcome::Failed { reason: Reason::UnknownKind, .. }), "{outcome:?}");
}
