//! Debounced jobs, which each further enqueue puts off.

use crate::support::{SECOND, TextQueue, memory, take, texts};
use queue::{
    Certainty, Change, Codec, CodecContext, CodecError, ContentType, Enqueued, ErrorKind, Failure, Id,
    InvalidOption, JobOptions, Json, Keep, OnFailed, Queue, Result, Settled, State, WaitError,
    queue_serde::{DecodeFn, erased_serde},
};
use std::{error::Error as _, time::Duration};

fn soon() -> JobOptions {
    JobOptions::new().debounce(5 * SECOND)
}

async fn put(queue: &TextQueue, text: &str, options: JobOptions) -> Enqueued<String> {
    queue.enqueue_with("a", text.to_owned(), options).await.expect("stored")
}

async fn due_in(queue: &TextQueue, id: &str) -> Option<Duration> {
    queue.status(id).await.expect("it reads").expect("it is there").due_in()
}

#[tokio::test(start_paused = true)]
async fn a_debounced_job_is_put_off_and_has_the_last_payload() {
    let queue = texts();
    put(&queue, "one", soon()).await;
    tokio::time::sleep(3 * SECOND).await;
    assert!(put(&queue, "two", soon().priority(-1)).await.is_new());
    assert_eq!(due_in(&queue, "a").await, Some(5 * SECOND));
    let begun = tokio::time::Instant::now();
    let job = queue.dequeue(9 * SECOND).await.unwrap().expect("it is due");
    assert_eq!((job.payload().as_str(), job.meta().priority, begun.elapsed()), ("two", -1, 5 * SECOND));
    assert_eq!(queue.counts().await.unwrap().total(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_debounced_job_waits_no_longer_than_it_may() {
    let queue = texts();
    let begun = tokio::time::Instant::now();
    let options = soon().max_wait(12 * SECOND);
    for text in ["one", "two", "three", "four"] {
        put(&queue, text, options.clone()).await;
        tokio::time::sleep(3 * SECOND).await;
    }
    assert_eq!(due_in(&queue, "a").await, Some(Duration::ZERO));
    let job = take(&queue).await;
    assert_eq!((job.payload().as_str(), begun.elapsed()), ("four", 12 * SECOND));
    assert!(matches!(job.ack(&String::new()).await.unwrap(), Settled::Done));
    put(&queue, "five", options).await;
    assert_eq!(due_in(&queue, "a").await, Some(5 * SECOND), "the next one waits anew");
}

#[tokio::test(start_paused = true)]
async fn what_is_enqueued_while_the_job_runs_is_another_that_waits() {
    let queue = texts();
    put(&queue, "one", soon()).await;
    tokio::time::sleep(5 * SECOND).await;
    let first = take(&queue).await;
    for text in ["two", "three"] {
        let next = put(&queue, text, soon()).await;
        assert_eq!((next.is_new(), next.id().as_str()), (true, "a~next"));
    }
    assert_eq!(queue.payload("a~next").await.unwrap().as_deref(), Some("three"));
    assert_eq!(queue.counts().await.unwrap().total(), 2);
    let _ = first.ack(&String::new()).await.unwrap();
    assert_eq!(put(&queue, "four", soon()).await.id().as_str(), "a", "its id is free again");
}

#[tokio::test(start_paused = true)]
async fn at_most_five_jobs_of_an_id_run_at_once() {
    let queue = texts();
    let mut running = Vec::new();
    for id in ["a", "a~next", "a~next~next", "a~next~next~next", "a~next~next~next~next"] {
        assert_eq!(put(&queue, id, soon()).await.id().as_str(), id);
        tokio::time::sleep(5 * SECOND).await;
        running.push(take(&queue).await);
    }
    let refused = queue.enqueue_with("a", String::new(), soon()).await.unwrap_err();
    assert_eq!((refused.kind(), refused.certainty()), (ErrorKind::Conflict, Certainty::NotApplied));
    let many = queue.enqueue_many([("b", String::new()), ("a", String::new())], soon()).await.unwrap_err();
    assert_eq!((many.kind(), many.certainty()), (ErrorKind::Conflict, Certainty::Unknown), "b is stored");
    let _ = running.remove(1).ack(&String::new()).await.unwrap();
    assert_eq!(put(&queue, "", soon()).await.id().as_str(), "a~next");
}

/// Four stand-ins fit behind the longest id, and the error counts what the caller wrote.
#[tokio::test(start_paused = true)]
async fn the_id_of_a_debounced_job_leaves_room_for_its_stand_ins() {
    let queue = texts();
    let longest = "a".repeat(235);
    let mut running = Vec::new();
    for stand_ins in 0..5 {
        let stored = queue.enqueue_with(longest.clone(), String::new(), soon()).await.unwrap();
        assert_eq!(stored.id().as_str(), format!("{longest}{}", "~next".repeat(stand_ins)));
        tokio::time::sleep(5 * SECOND).await;
        running.push(take(&queue).await);
    }
    let refused = queue.enqueue_with("a".repeat(236), String::new(), soon()).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Invalid, "{refused}");
    assert_eq!(refused.message(), "a debounced job's id has at most 235 bytes, this one has 236");
}

#[tokio::test(start_paused = true)]
async fn of_many_debounced_jobs_each_finds_its_place() {
    let queue = texts();
    let ids = ["a", "b", "a", "c"];
    let many = |text: &'static str| queue.enqueue_many(ids.map(|id| (id, text.to_owned())), soon());
    assert!(many("one").await.unwrap().iter().all(Enqueued::is_new));
    assert_eq!(queue.counts().await.unwrap().total(), 3);
    tokio::time::sleep(5 * SECOND).await;
    let running = [take(&queue).await, take(&queue).await];
    assert_eq!(running.each_ref().map(|job| job.id().as_str().to_owned()), ["b", "a"]);
    let answers = many("two").await.unwrap();
    let stored: Vec<_> = answers.iter().map(|answer| (answer.is_new(), answer.id().as_str())).collect();
    assert_eq!(stored, [(true, "a~next"), (true, "b~next"), (true, "a~next"), (true, "c")]);
    assert_eq!(queue.counts().await.unwrap().total(), 5);
}

#[tokio::test(start_paused = true)]
async fn what_is_over_keeps_no_debounced_job_away() {
    let queue = texts();
    put(&queue, "one", soon().max_attempts(1)).await;
    tokio::time::sleep(5 * SECOND).await;
    let _ = take(&queue).await.nack(Failure::new("Boom", "no")).await.unwrap();
    assert_eq!(queue.status("a").await.unwrap().unwrap().state(), State::Failed);
    assert_eq!(put(&queue, "two", soon()).await.id().as_str(), "a");
    assert!(matches!(queue.cancel("a").await.unwrap(), Change::Done));
    assert!(put(&queue, "three", soon()).await.is_new());
    let _ = queue.delete("a").await.unwrap();
    queue.enqueue("a", "kept".to_owned()).await.unwrap();
    let _ = take(&queue).await.ack(&"done".to_owned()).await.unwrap();
    assert_eq!(put(&queue, "four", soon()).await.id().as_str(), "a~next", "a job of another making is kept");
}

#[tokio::test(start_paused = true)]
async fn a_failed_job_blocks_if_that_is_asked_for() {
    let queue = texts();
    let options = soon().max_attempts(1).on_failed(OnFailed::Block);
    put(&queue, "one", options.clone()).await;
    tokio::time::sleep(5 * SECOND).await;
    let _ = take(&queue).await.nack(Failure::new("Boom", "no")).await.unwrap();
    assert!(matches!(put(&queue, "two", options).await, Enqueued::Duplicate { state: State::Failed, .. }));
    assert_eq!(queue.counts().await.unwrap().total(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_handle_may_debounce_and_a_job_may_decline() {
    let options = soon().max_wait(60 * SECOND);
    let queue: TextQueue = Queue::builder(memory(), "texts").options(options).build().unwrap();
    queue.enqueue("a", "one".to_owned()).await.unwrap();
    queue.enqueue("a", "two".to_owned()).await.unwrap();
    assert_eq!(due_in(&queue, "a").await, Some(5 * SECOND));
    let at_once = queue.enqueue_with("b", String::new(), JobOptions::new().delay(Duration::ZERO)).await;
    assert_eq!(due_in(&queue, at_once.unwrap().id().as_str()).await, Some(Duration::ZERO));
    let own = queue.new_job("b", &String::new(), &JobOptions::new().delay(Duration::ZERO)).unwrap();
    assert_eq!(own.on_waiting, queue::OnWaiting::Block);
}

fn assert_refused<T: std::fmt::Debug>(answer: Result<T>, says: &str) {
    let error = answer.expect_err("it is refused");
    assert_eq!((error.kind(), error.certainty()), (ErrorKind::Invalid, Certainty::NotApplied), "{error}");
    assert!(error.message().contains(says), "{error}");
    assert!(error.source().expect("it has a cause").is::<InvalidOption>(), "{error:?}");
}

#[tokio::test(start_paused = true)]
async fn what_a_debounced_job_cannot_be_is_refused_before_anything_is_written() {
    let queue = texts();
    let text = String::new;
    for (options, says) in [
        (soon().max_wait(4 * SECOND), "at least as long"),
        (soon().max_wait(Duration::MAX), "at most 100 years"),
        (JobOptions::new().debounce(Duration::MAX), "at most 100 years"),
        (JobOptions::new().max_wait(SECOND), "debounce"),
        (JobOptions::new().max_wait(SECOND).delay(SECOND), "debounce"),
        (soon().expires_in(9 * SECOND), "cannot expire"),
        (soon().keep(9 * SECOND), "not kept"),
    ] {
        assert_refused(options.validate().map_err(queue::Error::from), says);
        assert_refused(queue.enqueue_with("a", text(), options.clone()).await, says);
        assert_refused(queue.enqueue_many([("a", text())], options).await, says);
    }
    assert_refused(queue.enqueue_with(Id::Generated, text(), soon()).await, "give one");
    assert_refused(queue.enqueue_many([(Id::Generated, text())], soon()).await, "give one");
    let long = queue.enqueue_with("a".repeat(240), text(), soon()).await.unwrap_err();
    assert_eq!(long.kind(), ErrorKind::Invalid, "there is no room for the next id");
    assert_eq!(queue.counts().await.unwrap().total(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_debounced_job_is_refused_where_one_call_stores_it() {
    let queue = texts();
    assert_refused(queue.new_job("a", &String::new(), &soon()), "two calls");
    let waited = queue.enqueue_and_wait_with("a", String::new(), soon(), SECOND).await.unwrap_err();
    assert!(matches!(&waited, WaitError::Store(error) if error.message().contains("two calls")), "{waited}");
    assert_eq!(queue.counts().await.unwrap().total(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_longest_wait_of_the_delay_and_keeping_nothing_are_fine() {
    let queue = texts();
    put(&queue, "one", soon().max_wait(5 * SECOND).keep_completed(Keep::Nothing).keep_failed(Keep::Forever))
        .await;
    assert_eq!(due_in(&queue, "a").await, Some(5 * SECOND));
}

/// A codec that reads only bytes written for the very same job.
#[derive(Debug)]
struct Bound;

fn bound(context: &CodecContext<'_>) -> Vec<u8> {
    format!("{} ", context.id).into_bytes()
}

impl Codec for Bound {
    fn content_type(&self) -> ContentType {
        ContentType::from_static("x/bound")
    }

    fn plain(&self, value: &dyn erased_serde::Serialize) -> Result<bytes::Bytes, CodecError> {
        Json.plain(value)
    }

    fn write(
        &self,
        value: &dyn erased_serde::Serialize,
        context: &CodecContext<'_>,
    ) -> Result<bytes::Bytes, CodecError> {
        Ok([bound(context), Json.write(value, context)?.to_vec()].concat().into())
    }

    fn read(
        &self,
        bytes: &bytes::Bytes,
        context: &CodecContext<'_>,
        visit: &mut DecodeFn<'_>,
    ) -> Result<(), CodecError> {
        let plain = bytes.strip_prefix(&*bound(context)).unwrap_or(&bytes[..0]);
        Json.read(&bytes.slice_ref(plain), context, visit)
    }
}

#[tokio::test(start_paused = true)]
async fn a_job_that_stands_in_for_another_has_a_payload_of_its_own() {
    let queue: TextQueue = Queue::builder(memory(), "texts").codec(Bound).build().unwrap();
    put(&queue, "one", soon()).await;
    tokio::time::sleep(5 * SECOND).await;
    let _running = take(&queue).await;
    put(&queue, "two", soon()).await;
    tokio::time::sleep(5 * SECOND).await;
    assert_eq!(take(&queue).await.payload(), "two");
}
