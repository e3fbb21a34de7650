use crate::support::SECOND;
use queue::{
    Id, JobOptions, State,
    testing::{TestQueue, job_meta, job_record},
    worker::{Context, JobError, Router},
};
use std::sync::{Arc, Mutex};

type Seen = Arc<Mutex<Vec<String>>>;

/// Fails what says so, and notes the rest.
fn router(seen: &Seen) -> Router<Seen> {
    let handler = |text: String, context: Context<Seen>| async move {
        context.state().lock().expect("no handler panics").push(text.clone());
        if text == "bad" { Err(JobError::named("Bad", "as told")) } else { Ok(()) }
    };
    Router::new(seen.clone()).fallback(handler)
}

#[tokio::test]
async fn what_is_due_runs_inline_and_in_order_and_the_rest_waits_for_its_time() {
    let (queue, seen) = (TestQueue::<String>::new(), Seen::default());
    queue.enqueue_with("later", "later".to_owned(), JobOptions::new().delay(SECOND)).await.unwrap();
    queue.enqueue(Id::Generated, "one".to_owned()).await.unwrap();
    queue.enqueue_with("two", "two".to_owned(), JobOptions::new().priority(-1)).await.unwrap();
    assert_eq!(queue.run_due(router(&seen)).await.completed, 2);
    assert_eq!(*seen.lock().unwrap(), ["two", "one"]);
    queue.assert_enqueued(|text| text == "later").await;
    queue.advance(SECOND);
    assert_eq!(queue.run_due(router(&seen)).await.completed, 1);
    queue.assert_nothing_enqueued().await;
}

#[tokio::test]
async fn a_failed_job_waits_until_its_retry_is_due() {
    let (queue, seen) = (TestQueue::<String>::new(), Seen::default());
    let thrice = JobOptions::new().max_attempts(3);
    queue.enqueue_with("a", "bad".to_owned(), thrice).await.unwrap();
    assert_eq!(queue.run_due(router(&seen)).await.failing, 1);
    assert_eq!(queue.waiting().await[0].0.failures, 1);
    assert_eq!(queue.run_due(router(&seen)).await.started, 0);
    for _ in 0..2 {
        queue.advance(600 * SECOND);
        queue.run_due(router(&seen)).await;
    }
    assert_eq!(queue.status("a").await.unwrap().unwrap().state(), State::Failed);
}

#[tokio::test]
#[should_panic(expected = "\"b\"")]
async fn a_missing_job_is_reported_with_what_there_is() {
    let queue = TestQueue::<String>::new();
    queue.enqueue("b", "else".to_owned()).await.unwrap();
    queue.assert_enqueued(|text| text == "something").await;
}

#[tokio::test]
async fn a_paused_queue_runs_nothing() {
    let (queue, seen) = (TestQueue::<String>::new(), Seen::default());
    queue.enqueue("a", "x".to_owned()).await.unwrap();
    queue.pause().await.unwrap();
    assert_eq!(queue.run_due(router(&seen)).await.started, 0);
}

#[test]
fn generated_ids_repeat_from_run_to_run() {
    let id = || {
        let queue = TestQueue::<String>::new();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async { queue.enqueue(Id::Generated, String::new()).await.unwrap().id().clone() })
    };
    assert_eq!(id(), id());
}

#[test]
fn factories_make_what_a_store_would() {
    let record = job_record("a", &"text".to_owned());
    assert_eq!(record.meta, job_meta("a"));
    assert_eq!(record.body.unwrap().payload.bytes, b"\"text\""[..]);
}
