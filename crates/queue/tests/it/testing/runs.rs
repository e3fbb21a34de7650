//! Handlers run in the test.

use super::{queue_and_seen, router};
use crate::support::SECOND;
use queue::{
    Id, JobOptions, State,
    queue_core::{ContentType, EndSignal, JobId, Kind, NewGate, NewJob, Payload, Span},
    testing::TestQueue,
};
use std::time::Duration;

const YEAR: Duration = Duration::from_secs(365 * 24 * 3600);

#[tokio::test]
async fn what_is_due_runs_in_order_and_the_rest_waits_for_its_time() {
    let (queue, seen) = queue_and_seen();
    queue.enqueue_with("later", "later".to_owned(), JobOptions::new().delay(SECOND)).await.unwrap();
    queue.enqueue(Id::Generated, "one".to_owned()).await.unwrap();
    queue.enqueue_with("two", "two".to_owned(), JobOptions::new().priority(-1)).await.unwrap();
    assert_eq!(queue.run_due(router(&seen)).await.completed, 2);
    assert_eq!(*seen.lock().unwrap(), ["two", "one"]);
    queue.assert_enqueued(|text| text == "later").await;
    queue.advance(SECOND);
    assert_eq!(queue.run_due(router(&seen)).await.completed, 1);
    queue.enqueued().assert_none().await;
}

#[tokio::test]
async fn a_failed_job_waits_until_its_retry_is_due() {
    let (queue, seen) = queue_and_seen();
    let thrice = JobOptions::new().max_attempts(3);
    queue.enqueue_with("a", "bad".to_owned(), thrice).await.unwrap();
    assert_eq!(queue.run_due(router(&seen)).await.failing, 1);
    assert_eq!(queue.enqueued().attempts_made(1).assert_one().await.meta.failures, 1);
    assert_eq!(queue.run_due(router(&seen)).await.started, 0);
    for _ in 0..2 {
        queue.advance(600 * SECOND);
        queue.run_due(router(&seen)).await;
    }
    assert_eq!(queue.status("a").await.unwrap().unwrap().state(), State::Failed);
}

#[tokio::test]
async fn a_drain_runs_retries_and_delayed_jobs_and_moves_time_no_further_than_they_need() {
    let (queue, seen) = queue_and_seen();
    let begin = queue.store().now();
    queue.enqueue_with("a", "bad".to_owned(), JobOptions::new().max_attempts(3)).await.unwrap();
    queue.enqueue_with("b", "good".to_owned(), JobOptions::new().delay(YEAR)).await.unwrap();
    let report = queue.drain(router(&seen)).await;
    assert_eq!((report.started, report.failing, report.failed, report.completed), (4, 2, 1, 1));
    assert_eq!(*seen.lock().unwrap(), ["bad", "bad", "bad", "good"]);
    assert_eq!(queue.store().now().since(begin), YEAR);
    queue.enqueued().assert_none().await;
}

/// A job whose payload is its id.
fn new_job(id: &'static str) -> NewJob {
    let payload = Payload::new(format!("{id:?}"), ContentType::from_static("application/json"));
    NewJob::new(JobId::from_static(id), Kind::unnamed(), payload)
}

async fn put(queue: &TestQueue<String>, jobs: Vec<NewJob>) {
    queue.storage().enqueue(queue.name(), vec![jobs]).await.expect("the store takes them");
}

fn gate(timeout: Option<Duration>) -> NewGate {
    let timeout = timeout.map(|timeout| Span::new("timeout", timeout).expect("it is not too long"));
    NewGate { needs: 1, is_sealed: true, timeout }
}

#[tokio::test]
async fn a_drain_moves_time_on_to_the_time_out_of_a_gate() {
    let (queue, seen) = queue_and_seen();
    let begin = queue.store().now();
    put(&queue, vec![new_job("sum").with_gate(gate(Some(YEAR))), new_job("other")]).await;
    assert_eq!(queue.drain(router(&seen)).await.completed, 2);
    assert_eq!(*seen.lock().unwrap(), ["other", "sum"]);
    assert_eq!(queue.store().now().since(begin), YEAR);
}

#[tokio::test]
async fn a_gate_without_a_time_out_keeps_no_drain_from_its_end_and_opens_at_the_last_signal() {
    let (queue, seen) = queue_and_seen();
    let begin = queue.store().now();
    put(&queue, vec![new_job("sum").with_gate(gate(None)), new_job("other")]).await;
    assert_eq!(queue.drain(router(&seen)).await.completed, 1);
    assert_eq!(queue.store().now(), begin);
    queue.enqueued().assert_one().await;
    let signal = EndSignal::to(JobId::from_static("sum"));
    put(&queue, vec![new_job("member").with_delay(Span::from_secs(60)).with_end_signals([signal])]).await;
    assert_eq!(queue.drain(router(&seen)).await.completed, 2);
    assert_eq!(*seen.lock().unwrap(), ["other", "member", "sum"]);
}

#[tokio::test]
async fn a_paused_queue_runs_nothing_and_a_drain_of_it_ends() {
    let (queue, seen) = queue_and_seen();
    queue.enqueue("a", "x".to_owned()).await.unwrap();
    queue.pause().await.unwrap();
    assert_eq!(queue.run_due(router(&seen)).await.started, 0);
    assert_eq!(queue.drain(router(&seen)).await.started, 0);
    queue.enqueued().assert_one().await;
}

#[tokio::test]
#[should_panic(expected = "no job has ended while time moved on 1000 times; there wait [\"a\"]")]
async fn a_drain_of_a_job_that_never_ends_says_which_one_it_is() {
    let (queue, seen) = queue_and_seen();
    let endless = JobOptions::new().unlimited_attempts();
    queue.enqueue_with("a", "bad".to_owned(), endless).await.unwrap();
    queue.drain(router(&seen)).await;
}
