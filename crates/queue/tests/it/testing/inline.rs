//! Jobs that run as they are enqueued.

use super::{queue_and_seen, router};
use crate::support::SECOND;
use queue::{
    JobOptions, Queue, State,
    testing::TestStore,
    worker::{Context, JobError, Router},
};

#[tokio::test]
async fn an_enqueue_answers_when_its_job_is_done_and_the_result_is_there() {
    let store = TestStore::new();
    let lengths = store.queue::<String, usize>("lengths");
    lengths.inline(Router::new(()).fallback(|text: String, _: Context| async move { Ok(text.len()) }));
    let of_application: Queue<String, usize> = Queue::new(store.storage(), "lengths").unwrap();
    assert!(of_application.enqueue("a", "ada".to_owned()).await.unwrap().is_new());
    assert_eq!(lengths.result("a").await.unwrap(), Some(3));
    assert_eq!(of_application.enqueue_and_wait("b", "bob!".to_owned(), SECOND).await.unwrap(), 4);
    lengths.enqueued().assert_none().await;
    let done = lengths.enqueued().in_any_state().assert_count(2).await;
    assert!(done.iter().all(|job| job.meta.state == State::Completed));
}

#[tokio::test]
async fn a_failure_is_told_by_the_job_as_under_a_worker_and_not_by_the_enqueue() {
    let (queue, seen) = queue_and_seen();
    queue.inline(router(&seen));
    assert!(queue.enqueue("a", "bad".to_owned()).await.unwrap().is_new());
    let job = queue.enqueued().attempts_made(1).assert_one().await;
    assert_eq!(job.meta.last_error.unwrap().name(), "Bad");
    let once = JobOptions::new().max_attempts(1);
    queue.enqueue_with("b", "bad".to_owned(), once).await.unwrap();
    assert_eq!(queue.status("b").await.unwrap().unwrap().state(), State::Failed);
}

#[tokio::test]
async fn a_delayed_job_waits_for_its_time() {
    let (queue, seen) = queue_and_seen();
    queue.inline(router(&seen));
    queue.enqueue_with("a", "later".to_owned(), JobOptions::new().delay(SECOND)).await.unwrap();
    queue.enqueued().due_in(SECOND).assert_one().await;
    assert_eq!(queue.drain(router(&seen)).await.completed, 1);
}

#[tokio::test]
async fn a_handler_that_enqueues_into_another_inline_queue_finds_that_job_done() {
    let store = TestStore::new();
    let (orders, mails) = (store.queue::<String, String>("orders"), store.queue::<String, String>("mails"));
    mails.inline(
        Router::new(()).fallback(|to: String, _: Context| async move { Ok(format!("sent to {to}")) }),
    );
    let handle = async |who: String, context: Context<Queue<String, String>>| {
        context.state().enqueue_and_wait(who.clone(), who, SECOND).await.map_err(JobError::terminal)
    };
    let handle = move |who: String, context: Context<Queue<String, String>>| handle(who, context);
    orders.inline(Router::new((*mails).clone()).fallback(handle));
    orders.enqueue("order-1", "ada".to_owned()).await.unwrap();
    assert_eq!(orders.result("order-1").await.unwrap().as_deref(), Some("sent to ada"));
}

#[tokio::test]
async fn other_queues_of_the_store_keep_their_jobs() {
    let (queue, seen) = queue_and_seen();
    queue.inline(router(&seen));
    let other = queue.store().queue::<String, ()>("other");
    other.enqueue("a", "x".to_owned()).await.unwrap();
    other.enqueued().assert_one().await;
    assert!(seen.lock().unwrap().is_empty());
}
