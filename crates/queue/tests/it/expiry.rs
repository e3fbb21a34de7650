//! Jobs that expire unless they start in time, as the typed client sees them.

use crate::support::{SECOND, take, texts};
use queue::{
    Change, ContentType, Failure, JobOptions, Keep, Nack, Outcome, Queue, Raw, Reason, Settled, State,
    WaitError,
};
use queue_core::Payload;
use tokio::time::{Instant, sleep};

fn expiring() -> JobOptions {
    JobOptions::new().expires_in(5 * SECOND)
}

async fn put(queue: &Queue<String, String>, id: &str, options: JobOptions) {
    let answer = queue.enqueue_with(id, "in".to_owned(), options).await.expect("it enqueues");
    assert!(answer.is_new());
}

async fn end_of(queue: &Queue<String, String>, id: &str) -> (State, Option<Reason>) {
    let status = queue.status(id).await.expect("it reads").expect("it is there");
    (status.state(), status.meta.reason)
}

const EXPIRED: (State, Option<Reason>) = (State::Cancelled, Some(Reason::Expired));

#[tokio::test(start_paused = true)]
async fn a_consumer_gets_no_expired_job_but_the_next_one() {
    let queue = texts();
    for id in ["a", "b"] {
        put(&queue, id, expiring()).await;
    }
    put(&queue, "c", JobOptions::new()).await;
    sleep(5 * SECOND).await;
    assert_eq!(take(&queue).await.id().as_str(), "c");
    assert_eq!((end_of(&queue, "a").await, end_of(&queue, "b").await), (EXPIRED, EXPIRED));
    assert!(queue.dequeue(SECOND).await.unwrap().is_none());
}

#[tokio::test(start_paused = true)]
async fn of_many_jobs_a_consumer_gets_those_that_may_still_start() {
    let queue = texts();
    put(&queue, "a", expiring()).await;
    put(&queue, "b", JobOptions::new()).await;
    put(&queue, "c", expiring()).await;
    sleep(SECOND).await;
    put(&queue, "d", expiring()).await;
    sleep(4 * SECOND).await;
    let taken = queue.dequeue_many(10, SECOND).await.unwrap();
    assert_eq!(taken.iter().map(|job| job.id().as_str()).collect::<Vec<_>>(), ["b", "d"]);
}

#[tokio::test(start_paused = true)]
async fn what_a_consumer_gives_back_may_still_expire_and_what_it_snoozed_may_not() {
    let queue = texts();
    put(&queue, "released", expiring()).await;
    assert_eq!(take(&queue).await.release().await.unwrap(), Settled::Done);
    sleep(5 * SECOND).await;
    assert!(queue.dequeue(SECOND).await.unwrap().is_none());
    assert_eq!(end_of(&queue, "released").await, EXPIRED);
    put(&queue, "snoozed", expiring()).await;
    assert_eq!(take(&queue).await.snooze(SECOND).await.unwrap(), Settled::Done);
    sleep(60 * SECOND).await;
    assert_eq!(take(&queue).await.id().as_str(), "snoozed");
}

#[tokio::test(start_paused = true)]
async fn a_wait_on_a_paused_queue_ends_when_the_job_expires() {
    let queue = texts();
    queue.pause().await.unwrap();
    let begun = Instant::now();
    put(&queue, "a", expiring().keep(Keep::Nothing)).await;
    let outcome = queue.wait("a", 60 * SECOND).await.unwrap();
    assert_eq!(outcome, Outcome::Cancelled { reason: Some(Reason::Expired) });
    assert_eq!(begun.elapsed().as_secs(), 5, "it is looked at when its time has come");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_nobody_answers_in_time_says_so() {
    let queue = texts();
    let call = queue.enqueue_and_wait_with("a", "in".to_owned(), expiring(), 60 * SECOND);
    let error = call.await.unwrap_err();
    assert!(matches!(error, WaitError::Cancelled { reason: Some(Reason::Expired) }), "{error}");
    assert!(error.to_string().contains("had not started"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_status_tells_how_long_a_job_may_wait_and_run() {
    let queue = texts();
    put(&queue, "a", expiring().time_limit(9 * SECOND)).await;
    sleep(2 * SECOND).await;
    let status = queue.status("a").await.unwrap().unwrap();
    assert_eq!((status.must_start_in(), status.time_limit()), (Some(3 * SECOND), Some(9 * SECOND)));
    assert!(!status.is_expired());
    sleep(3 * SECOND).await;
    let status = queue.status("a").await.unwrap().unwrap();
    assert!(status.is_expired() && status.state() == State::Queued, "nobody has ended it yet");
    assert!(queue.enqueue("a", "in".to_owned()).await.unwrap().is_new(), "its id is free");
    let status = queue.status("a").await.unwrap().unwrap();
    assert_eq!((status.must_start_in(), status.time_limit(), status.is_expired()), (None, None, false));
}

#[tokio::test(start_paused = true)]
async fn a_redriven_job_runs_however_late() {
    let queue = texts();
    put(&queue, "a", expiring()).await;
    sleep(5 * SECOND).await;
    assert!(queue.dequeue(SECOND).await.unwrap().is_none());
    assert_eq!(queue.redrive("a").await.unwrap(), Change::Done);
    sleep(60 * SECOND).await;
    assert_eq!(take(&queue).await.id().as_str(), "a");
}

/// Only the content type of the payload was wrong.
#[tokio::test(start_paused = true)]
async fn a_redrive_mends_a_content_type() {
    let queue = texts();
    let raw: Queue<Raw, Raw> = Queue::new(queue.storage().clone(), queue.name().as_str()).unwrap();
    for id in ["a", "b", "c"] {
        let payload = Payload::new("\"in\"", ContentType::from_static("text/plain"));
        assert!(raw.enqueue(id, Raw(payload)).await.unwrap().is_new());
        queue.dequeue(SECOND).await.unwrap_err();
        let error = queue.status(id).await.unwrap().unwrap().meta.last_error.unwrap();
        assert!(error.message().contains("--content-type application/json"), "{error}");
    }
    let json = ContentType::from_static("application/json");
    assert_eq!(queue.redrive_as("a", json.clone()).await.unwrap(), Change::Done);
    let job = take(&queue).await;
    assert_eq!(job.payload(), "in");
    let _ = job.nack(Nack::new(Failure::new("Io", "broken")).terminal()).await.unwrap();
    assert_eq!(queue.jobs().failed().redrive_all_as(json).await.unwrap().done, 3);
    assert_eq!(queue.dequeue_many(10, SECOND).await.unwrap().len(), 3);
}
