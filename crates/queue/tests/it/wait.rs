//! Calls and waits for the outcome of a job.

use crate::support::{SECOND, TextQueue, memory, on, settle_down, spawn, take, texts};
use bytes::Bytes;
use queue::{
    Enqueued, ErrorKind, Failure, JobOptions, Keep, Nack, OnFailed, Outcome, Queue, Reason, State, WaitError,
    WaitOptions,
};
use std::time::Duration;
use tokio::{task::JoinHandle, time::Instant};

/// Starts a call, and lets it enqueue.
async fn call(queue: &TextQueue, job: JobOptions) -> JoinHandle<Result<String, WaitError>> {
    let queue = queue.clone();
    let call =
        spawn(async move { queue.enqueue_and_wait_with("a", "in".to_owned(), job, 10 * SECOND).await });
    settle_down().await;
    call
}

/// Starts a wait, and lets it read once.
async fn wait(queue: &TextQueue) -> JoinHandle<queue::Result<Outcome<String>>> {
    let queue = queue.clone();
    let wait = spawn(async move { queue.wait("a", 10 * SECOND).await });
    settle_down().await;
    wait
}

#[tokio::test(start_paused = true)]
async fn a_call_answers_the_result_as_soon_as_it_is_there() {
    let queue = texts();
    let call = call(&queue, JobOptions::new()).await;
    let job = take(&queue).await;
    assert!(job.meta().awaited);
    let begun = Instant::now();
    let _ = job.ack(&"out".to_owned()).await.unwrap();
    assert_eq!(call.await.unwrap().unwrap(), "out");
    assert_eq!(begun.elapsed(), Duration::ZERO, "it was polled for");
}

#[tokio::test(start_paused = true)]
async fn unit_and_null_are_results() {
    let store = memory();
    let units: Queue<String, ()> = Queue::new(store.clone(), "texts").unwrap();
    let nulls: Queue<String, Option<u8>> = Queue::new(store, "texts").unwrap();
    units.enqueue("a", String::new()).await.unwrap();
    let _ = take(&units).await.ack(&()).await.unwrap();
    assert_eq!(units.wait("a", SECOND).await.unwrap(), Outcome::Completed(()));
    assert_eq!(nulls.wait("a", SECOND).await.unwrap(), Outcome::Completed(None));
    assert_eq!(nulls.enqueue_and_wait("a", String::new(), SECOND).await.unwrap(), None);
    assert!(matches!(
        units.enqueue("a", String::new()).await.unwrap(),
        Enqueued::Completed { result: (), .. }
    ));
}

#[tokio::test(start_paused = true)]
async fn a_call_on_a_present_result_does_not_wait() {
    let queue = texts();
    queue.enqueue("a", String::new()).await.unwrap();
    let _ = take(&queue).await.ack(&"out".to_owned()).await.unwrap();
    let begun = Instant::now();
    assert_eq!(queue.enqueue_and_wait("a", String::new(), SECOND).await.unwrap(), "out");
    assert_eq!(begun.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn a_call_on_a_present_job_waits_for_that_job_and_marks_it() {
    let queue = texts();
    let options = JobOptions::new().keep(Keep::Nothing);
    queue.enqueue_with("a", "theirs".to_owned(), options).await.unwrap();
    let call = call(&queue, JobOptions::new()).await;
    let job = take(&queue).await;
    assert_eq!((job.payload().as_str(), job.meta().awaited), ("theirs", true));
    let _ = job.ack(&"out".to_owned()).await.unwrap();
    assert_eq!(call.await.unwrap().unwrap(), "out");
}

#[tokio::test(start_paused = true)]
async fn a_failure_is_typed_and_carries_its_details() {
    let queue = texts();
    let call = call(&queue, JobOptions::new().max_attempts(1)).await;
    let failure = Failure::new("Io", "broken").with_details(Bytes::from_static(b"{}"));
    let _ = take(&queue).await.nack(failure.clone()).await.unwrap();
    let error = call.await.unwrap().unwrap_err();
    assert_eq!(error.to_string(), "the job failed (exhausted): Io: broken");
    assert!(matches!(
        error,
        WaitError::Failed { reason: Reason::Exhausted, error: Some(stored) } if stored == failure
    ));
}

#[tokio::test(start_paused = true)]
async fn a_job_that_fails_and_then_succeeds_is_waited_through() {
    let queue = texts();
    let call = call(&queue, JobOptions::new()).await;
    let nack = Nack::new(Failure::new("Io", "broken")).retry_in(SECOND);
    let _ = take(&queue).await.nack(nack).await.unwrap();
    let second = queue.dequeue(5 * SECOND).await.unwrap().unwrap();
    let _ = second.ack(&"at last".to_owned()).await.unwrap();
    assert_eq!(call.await.unwrap().unwrap(), "at last");
}

#[tokio::test(start_paused = true)]
async fn a_failed_job_that_blocks_the_id_is_the_outcome_at_once() {
    let queue = texts();
    queue.enqueue_with("a", String::new(), JobOptions::new().max_attempts(1)).await.unwrap();
    let _ = take(&queue).await.nack(Failure::new("Io", "broken")).await.unwrap();
    let begun = Instant::now();
    let error = queue.enqueue_and_wait("a", String::new(), SECOND).await.unwrap_err();
    assert!(matches!(error, WaitError::Failed { .. }));
    assert_eq!(begun.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_job_is_answered_as_cancelled() {
    let queue = texts();
    let call = call(&queue, JobOptions::new()).await;
    let _ = queue.cancel("a").await.unwrap();
    assert!(matches!(call.await.unwrap().unwrap_err(), WaitError::Cancelled { reason: None }));
}

#[tokio::test(start_paused = true)]
async fn an_outcome_that_is_not_kept_is_still_there_for_whoever_waits() {
    let queue = texts();
    let call = call(&queue, JobOptions::new().keep(Keep::Nothing)).await;
    let _ = take(&queue).await.ack(&"out".to_owned()).await.unwrap();
    assert_eq!(call.await.unwrap().unwrap(), "out");
    assert_eq!(queue.result("a").await.unwrap().as_deref(), Some("out"));
    tokio::time::sleep(61 * SECOND).await;
    assert!(queue.status("a").await.unwrap().is_none());
}

#[tokio::test(start_paused = true)]
async fn a_newer_life_of_the_id_supersedes_the_one_waited_for() {
    let queue = texts();
    let call = call(&queue, JobOptions::new()).await;
    // Both steps take effect before the waiter runs again.
    let _ = queue.cancel("a").await.unwrap();
    queue.enqueue("a", String::new()).await.unwrap();
    assert!(matches!(call.await.unwrap().unwrap_err(), WaitError::Superseded));
}

#[tokio::test(start_paused = true)]
async fn a_job_that_was_seen_and_is_gone_is_expired_and_one_never_seen_is_unknown() {
    let queue = texts();
    let call = call(&queue, JobOptions::new()).await;
    let _ = queue.delete("a").await.unwrap();
    assert!(matches!(call.await.unwrap().unwrap_err(), WaitError::Expired));
    let begun = Instant::now();
    assert_eq!(queue.wait("a", SECOND).await.unwrap(), Outcome::Unknown);
    assert_eq!(begun.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn a_deadline_is_kept_and_says_how_the_job_stood() {
    let queue = texts();
    let begun = Instant::now();
    let error = queue.enqueue_and_wait("a", String::new(), 3 * SECOND).await.unwrap_err();
    assert!(matches!(error, WaitError::TimedOut { state: Some(State::Queued), error: None }));
    assert_eq!(begun.elapsed(), 3 * SECOND);
    let _running = take(&queue).await;
    let timed_out = Outcome::TimedOut { state: Some(State::Processing), error: None };
    assert_eq!(queue.wait("a", 3 * SECOND).await.unwrap(), timed_out);
}

#[tokio::test(start_paused = true)]
async fn the_default_deadline_is_thirty_seconds() {
    let queue = texts();
    let begun = Instant::now();
    let error = queue.enqueue_and_wait("a", String::new(), WaitOptions::default()).await.unwrap_err();
    assert!(matches!(error, WaitError::TimedOut { .. }));
    assert_eq!(begun.elapsed(), 30 * SECOND);
}

#[tokio::test(start_paused = true)]
async fn a_deadline_of_zero_looks_once() {
    let queue = texts();
    queue.enqueue("a", String::new()).await.unwrap();
    let queued = Outcome::TimedOut { state: Some(State::Queued), error: None };
    assert_eq!(queue.wait("a", Duration::ZERO).await.unwrap(), queued);
    let _ = take(&queue).await.ack(&"out".to_owned()).await.unwrap();
    assert_eq!(queue.wait("a", Duration::ZERO).await.unwrap(), Outcome::Completed("out".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn waiters_on_one_id_are_independent() {
    let queue = texts();
    queue.enqueue("a", String::new()).await.unwrap();
    let mut waiters = Vec::new();
    for _ in 0..50 {
        waiters.push(wait(&queue).await);
    }
    let impatient = queue.wait("a", Duration::from_millis(5)).await.unwrap();
    assert_eq!(impatient, Outcome::TimedOut { state: Some(State::Queued), error: None });
    waiters.drain(..10).for_each(|waiter| waiter.abort());
    let _ = take(&queue).await.ack(&"out".to_owned()).await.unwrap();
    for waiter in waiters {
        assert_eq!(waiter.await.unwrap().unwrap(), Outcome::Completed("out".to_owned()));
    }
}

#[tokio::test(start_paused = true)]
async fn a_wait_marks_the_job_so_that_its_outcome_stays_to_be_read() {
    let queue = texts();
    let options = JobOptions::new().keep(Keep::Nothing);
    queue.enqueue_with("a", String::new(), options).await.unwrap();
    let wait = wait(&queue).await;
    let _ = take(&queue).await.ack(&"out".to_owned()).await.unwrap();
    assert_eq!(wait.await.unwrap().unwrap(), Outcome::Completed("out".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn a_job_that_is_marked_while_it_runs_can_still_be_settled_by_its_holder() {
    let queue = texts();
    queue.enqueue("a", String::new()).await.unwrap();
    let job = take(&queue).await;
    let wait = wait(&queue).await;
    assert_eq!(job.ack(&"out".to_owned()).await.unwrap(), queue::Settled::Done);
    assert_eq!(wait.await.unwrap().unwrap(), Outcome::Completed("out".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn a_redriven_job_is_waited_for_again() {
    let queue = texts();
    let once = JobOptions::new().max_attempts(1);
    queue.enqueue_with("a", String::new(), once).await.unwrap();
    let _ = take(&queue).await.nack(Failure::new("Io", "broken")).await.unwrap();
    assert!(matches!(queue.wait("a", SECOND).await.unwrap(), Outcome::Failed { .. }));
    let _ = queue.redrive("a").await.unwrap();
    let wait = wait(&queue).await;
    let _ = take(&queue).await.ack(&"out".to_owned()).await.unwrap();
    assert_eq!(wait.await.unwrap().unwrap(), Outcome::Completed("out".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn a_call_may_replace_a_failed_job() {
    let queue = texts();
    let once = JobOptions::new().max_attempts(1).on_failed(OnFailed::Replace);
    queue.enqueue_with("a", String::new(), once.clone()).await.unwrap();
    let _ = take(&queue).await.nack(Failure::new("Io", "broken")).await.unwrap();
    let call = call(&queue, once).await;
    let _ = take(&queue).await.ack(&"out".to_owned()).await.unwrap();
    assert_eq!(call.await.unwrap().unwrap(), "out");
}

#[tokio::test(start_paused = true)]
async fn a_result_of_another_type_is_an_error_and_no_endless_wait() {
    let store = memory();
    let numbers: Queue<String, u8> = Queue::new(store.clone(), "texts").unwrap();
    let queue = on(store);
    queue.enqueue("a", String::new()).await.unwrap();
    let _ = take(&queue).await.ack(&"text".to_owned()).await.unwrap();
    assert_eq!(numbers.wait("a", SECOND).await.unwrap_err().kind(), ErrorKind::Invalid);
    let error = numbers.enqueue_and_wait("a", String::new(), SECOND).await.unwrap_err();
    assert!(matches!(error, WaitError::Store(error) if error.kind() == ErrorKind::Invalid));
}

#[tokio::test(start_paused = true)]
async fn a_deadline_brings_the_error_of_the_last_attempt() {
    let queue = texts();
    queue.enqueue("a", "in".to_owned()).await.unwrap();
    let broken = Failure::new("NoName", "no Ada");
    let _ = take(&queue).await.nack(Nack::new(broken.clone()).retry_in(1000 * SECOND)).await.unwrap();
    let timed_out = Outcome::TimedOut { state: Some(State::Failing), error: Some(broken) };
    assert_eq!(queue.wait("a", SECOND).await.unwrap(), timed_out);
    let error = queue.enqueue_and_wait("a", "in".to_owned(), SECOND).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the deadline passed while the job waited for its next attempt; its last attempt failed: NoName: no Ada"
    );
}
