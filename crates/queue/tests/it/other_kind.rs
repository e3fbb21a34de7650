//! Ids belong to the queue, not to a kind: a handle of another kind is refused.

use crate::support::{SECOND, memory, settle_down, spawn, take};
use queue::{
    Certainty, CodecError, Enqueued, Error, ErrorKind, JobKind, JobOptions, OtherKind, Outcome, Queue, State,
    WaitError,
};
use std::error::Error as _;

const LENGTH: JobKind<String, usize> = JobKind::new("length");
const WORDS: JobKind<String, usize> = JobKind::new("words");

fn tasks() -> Queue<String, usize> {
    Queue::new(memory(), "tasks").expect("a valid name")
}

/// A queue where a job of the kind `length` has the id `7`, and is done.
async fn with_a_length() -> Queue<String, usize> {
    let tasks = tasks();
    tasks.of(LENGTH).enqueue("7", "ada".to_owned()).await.expect("stored");
    let _ = take(&tasks).await.ack(&3).await.expect("settled");
    tasks
}

fn assert_refused(error: &Error) {
    let said = "the id \"7\" of the queue \"tasks\" is that of a job of the kind \"length\", not \"words\"";
    assert!(error.message().starts_with(said), "{error}");
    assert_eq!((error.kind(), error.certainty()), (ErrorKind::Invalid, Certainty::NotApplied));
    let other = error.source().and_then(|source| source.downcast_ref::<OtherKind>()).expect("it is typed");
    assert_eq!((other.found.as_str(), other.asked.as_str()), ("length", "words"));
}

#[tokio::test(start_paused = true)]
async fn a_call_under_the_id_of_another_kind_is_refused_and_does_not_answer_its_result() {
    let words = with_a_length().await.of(WORDS);
    match words.enqueue_and_wait("7", "a b".to_owned(), SECOND).await {
        Err(WaitError::Store(error)) => assert_refused(&error),
        other => panic!("{other:?}"),
    }
    assert_refused(&words.enqueue("7", "a b".to_owned()).await.unwrap_err());
    assert_refused(&words.result("7").await.unwrap_err());
    assert_refused(&words.payload("7").await.unwrap_err());
    assert_refused(&words.wait("7", SECOND).await.unwrap_err());
}

#[tokio::test(start_paused = true)]
async fn a_job_of_another_kind_that_is_not_done_is_refused_too_and_at_once() {
    let tasks = tasks();
    tasks.of(LENGTH).enqueue("7", "ada".to_owned()).await.unwrap();
    assert_refused(&tasks.of(WORDS).enqueue("7", "a b".to_owned()).await.unwrap_err());
    let words = tasks.of(WORDS);
    let call = spawn(async move { words.enqueue_and_wait("7", "a b".to_owned(), 1000 * SECOND).await });
    settle_down().await;
    assert!(call.is_finished(), "it waits for a job of another kind");
}

#[tokio::test(start_paused = true)]
async fn the_same_kind_and_a_handle_without_a_kind_are_answered() {
    let tasks = with_a_length().await;
    for handle in [tasks.of(LENGTH), tasks.clone()] {
        assert!(matches!(
            handle.enqueue("7", String::new()).await.unwrap(),
            Enqueued::Completed { result: 3, .. }
        ));
        assert_eq!(handle.enqueue_and_wait("7", String::new(), SECOND).await.unwrap(), 3);
        assert_eq!(handle.wait("7", SECOND).await.unwrap(), Outcome::Completed(3));
        assert_eq!(handle.result("7").await.unwrap(), Some(3));
    }
}

#[tokio::test(start_paused = true)]
async fn of_many_jobs_one_of_another_kind_makes_the_outcome_unknown_if_others_were_stored() {
    let tasks = with_a_length().await;
    let jobs = ["6", "7"].map(|id| (id, "a b".to_owned()));
    let error = tasks.of(WORDS).enqueue_many(jobs, JobOptions::new()).await.unwrap_err();
    assert_eq!((error.kind(), error.certainty()), (ErrorKind::Invalid, Certainty::Unknown), "{error}");
    assert_eq!(tasks.status("6").await.unwrap().expect("it was stored").state(), State::Queued);
}

#[tokio::test(start_paused = true)]
async fn a_hook_that_changes_kinds_keeps_its_jobs_readable() {
    let renamed = Queue::<String, usize>::builder(memory(), "tasks").before_enqueue(|_, job| {
        job.kind = LENGTH.into();
        Ok(())
    });
    let words = renamed.build().unwrap().of(WORDS);
    words.enqueue("7", "ada".to_owned()).await.unwrap();
    assert!(matches!(words.enqueue("7", "ada".to_owned()).await.unwrap(), Enqueued::Duplicate { .. }));
    assert_eq!(words.payload("7").await.unwrap().as_deref(), Some("ada"));
}

#[tokio::test(start_paused = true)]
async fn bytes_of_another_type_are_refused_with_the_job_and_its_kind() {
    let texts: Queue<u32, String> = Queue::new(with_a_length().await.storage().clone(), "tasks").unwrap();
    let says = |part: &str| format!("the {part} of \"7\", of the kind \"length\": ");
    for (error, part) in [
        (texts.result("7").await.unwrap_err(), "result"),
        (texts.payload("7").await.unwrap_err(), "payload"),
        (texts.wait("7", SECOND).await.unwrap_err(), "result"),
    ] {
        assert!(error.message().starts_with(&says(part)), "{error}");
        let source = error.source().and_then(|source| source.downcast_ref::<CodecError>());
        assert!(source.is_some(), "{error}");
    }
}
