//! What is refused, and that nothing is written then.

use crate::{
    on_stores,
    stage::{END, SECOND, Stage, Work, add},
};
use queue::{
    Change, Error, ErrorKind, InvalidOption, JobOptions, Keep, Queue,
    batches::{BatchEnd, BatchError, BatchName, BatchSpecError, CallbackMoment, InvalidBatchName},
};
use std::{error::Error as _, time::Duration};

on_stores!(
    names_that_are_none,
    options_that_are_none,
    another_batch_of_the_name,
    a_name_that_a_plain_job_has,
    adds_to_a_sealed_batch,
    adds_to_a_batch_that_has_ended_or_never_was,
    members_that_are_none,
    a_batch_without_callbacks_is_status_alone,
    callbacks_that_are_too_large,
    a_callback_whose_id_is_taken,
    a_job_outside_a_batch_adds_nothing,
);

fn source<E: std::error::Error + Clone + 'static>(error: &Error) -> E {
    assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
    error
        .source()
        .and_then(|source| source.downcast_ref::<E>())
        .unwrap_or_else(|| panic!("{error:?}"))
        .clone()
}

fn name(text: &str) -> BatchName {
    BatchName::new(text).expect("a name")
}

async fn names_that_are_none(stage: Stage) {
    for (text, refused) in [
        ("a@b", InvalidBatchName::Separator),
        ("a/b", InvalidBatchName::Separator),
        (&"n".repeat(37), InvalidBatchName::TooLong { bytes: 37 }),
    ] {
        let error = stage.batch(text).open().await.unwrap_err();
        assert_eq!(source::<InvalidBatchName>(&error), refused);
        assert_eq!(source::<InvalidBatchName>(&stage.queue.batches().get(text).await.unwrap_err()), refused);
    }
    assert!(stage.batch("").open().await.is_err());
    assert_eq!(stage.queue.counts().await.unwrap().total(), 0);
}

async fn options_that_are_none(stage: Stage) {
    let error = stage.batch("a").timeout(Duration::ZERO).open().await.unwrap_err();
    assert_eq!(source::<BatchSpecError>(&error), BatchSpecError::NoTime);
    let century = 101 * 365 * 24 * 3600 * SECOND;
    let error = stage.batch("a").keep(century).open().await.unwrap_err();
    assert!(matches!(source(&error), InvalidOption::TooLong { .. }));
    let error = stage.queue.batch("a").on_end("queue.schedule", &1).open().await.unwrap_err();
    assert!(matches!(source(&error), InvalidOption::ReservedKind { .. }));
    assert!(stage.queue.batch("a").on_end("", &1).open().await.is_err());
    assert!(stage.batch("a").callbacks_in("").open().await.is_err());
    assert_eq!(stage.queue.counts().await.unwrap().total(), 0);
}

async fn another_batch_of_the_name(stage: Stage) {
    let first = stage.batch("a").open().await.unwrap();
    let exists = BatchError::Exists { name: name("a") };
    let given = "given".to_owned();
    for other in [
        stage.batch("a").timeout(SECOND),
        stage.batch("a").keep(SECOND),
        stage.batch("a").on_end(END, &"else".to_owned()),
        stage.batch("a").on_end("else", &given),
        stage.batch("a").callbacks_in("else"),
        stage.queue.batch("a"),
    ] {
        assert_eq!(source::<BatchError>(&other.open().await.unwrap_err()), exists);
    }
    assert_eq!(stage.batch("a").open().await.unwrap().seq(), first.seq());
}

async fn a_name_that_a_plain_job_has(stage: Stage) {
    stage.take_id("queue.batch:a", &JobOptions::new()).await;
    let taken = BatchError::NameTaken { name: name("a") };
    assert_eq!(source::<BatchError>(&stage.batch("a").open().await.unwrap_err()), taken);
    assert_eq!(source::<BatchError>(&stage.queue.batches().get("a").await.unwrap_err()), taken);
    assert_eq!(source::<BatchError>(&stage.queue.batches().cancel("a").await.unwrap_err()), taken);
    assert_eq!(source::<BatchError>(&stage.queue.batches().abandon("a").await.unwrap_err()), taken);
}

async fn adds_to_a_sealed_batch(stage: Stage) {
    let batch = stage.batch("a").open().await.unwrap();
    batch.add("m0", Work::Complete).await.unwrap();
    batch.seal().await.unwrap();
    let sealed = BatchError::Sealed { name: name("a") };
    let error = batch.add_all([("m0", Work::Complete), ("m1", Work::Complete)]).await.unwrap_err();
    assert_eq!(source::<BatchError>(&error), sealed);
    assert!(!batch.add("m0", Work::Complete).await.unwrap().is_new(), "it is there already");
    assert_eq!(stage.state(&batch.job("m1").unwrap()).await, None);
    stage.queue.enqueue(batch.job("m1").unwrap(), Work::Complete).await.unwrap();
    let error = batch.add("m1", Work::Complete).await.unwrap_err();
    assert_eq!(source::<BatchError>(&error), sealed, "a plain job under the id of a member is none");
    assert_eq!(batch.status().await.unwrap().added, 1);
}

async fn adds_to_a_batch_that_has_ended_or_never_was(stage: Stage) {
    assert!(stage.queue.batches().find("a").await.unwrap().is_none());
    let missing = BatchError::NoBatch { queue: stage.queue.name().clone(), name: name("a") };
    assert_eq!(stage.queue.batches().cancel("a").await.unwrap(), Change::Missing);
    assert_eq!(stage.queue.batches().abandon("a").await.unwrap(), Change::Missing);
    let batch = stage.batch("a").open().await.unwrap();
    batch.add("m0", Work::Complete).await.unwrap();
    batch.seal().await.unwrap();
    stage.finish("a").await;
    let ended = BatchError::Ended { name: name("a") };
    let found = stage.queue.batches().find("a").await.unwrap().expect("it is kept");
    assert_eq!(source::<BatchError>(&found.add("m1", Work::Complete).await.unwrap_err()), ended);
    assert_eq!(stage.state(&batch.job("m1").unwrap()).await, None);
    assert!(matches!(batch.add("m0", Work::Complete).await.unwrap(), queue::Enqueued::Completed { .. }));
    assert!(stage.queue.prune_all(queue::Prune::Everything).await.unwrap() > 0);
    assert_eq!(source::<BatchError>(&batch.add("m0", Work::Complete).await.unwrap_err()), missing);
    assert_eq!(source::<BatchError>(&batch.seal().await.unwrap_err()), missing);
    assert_eq!(batch.cancel().await.unwrap(), Change::Missing);
    assert_eq!(batch.abandon().await.unwrap(), Change::Missing);
}

async fn members_that_are_none(stage: Stage) {
    let batch = stage.batch("a").open().await.unwrap();
    assert!(batch.add("i".repeat(255), Work::Complete).await.is_err(), "with the name it is too long");
    let debounced = JobOptions::new().debounce(SECOND);
    let error = batch.add_with("m", Work::Complete, debounced).await.unwrap_err();
    assert!(matches!(source(&error), InvalidOption::Debounce(_)));
    for keep in [JobOptions::new().keep_failed(SECOND), JobOptions::new().keep(Keep::Forever)] {
        let error = batch.add_all_with([("m", Work::Complete)], keep).await.unwrap_err();
        assert_eq!(source::<InvalidOption>(&error), InvalidOption::KeepOfMember);
    }
    let tags = |count| (0..count).fold(JobOptions::new(), |options, n| options.tag(n.to_string()));
    assert!(batch.add_with("m", Work::Complete, tags(8)).await.is_err());
    assert_eq!(batch.status().await.unwrap().added, 0);
    batch.add_with("m", Work::Complete, tags(7)).await.unwrap();
    assert_eq!(batch.jobs().count().await.unwrap().jobs, 1);
}

async fn a_batch_without_callbacks_is_status_alone(stage: Stage) {
    let batch = stage.queue.batch("a").open().await.unwrap();
    add(&batch, &[Work::Complete, Work::Fail]).await;
    batch.seal().await.unwrap();
    stage.finish("a").await;
    assert!(stage.called().is_empty());
    let status = batch.status().await.unwrap();
    assert_eq!((status.completed, status.failed), (1, 1));
    assert!(status.first_failure.is_none() && status.spec.callback(CallbackMoment::End).is_none());
}

async fn callbacks_that_are_too_large(stage: Stage) {
    let limit = stage.queue.storage().capabilities().limits.payload_bytes_max;
    let error = stage.queue.batch("a").on_end("end", &"x".repeat(limit)).open().await.unwrap_err();
    assert!(matches!(source(&error), BatchSpecError::TooLarge { .. }));
    assert_eq!(stage.queue.counts().await.unwrap().total(), 0);
    let end = "x".repeat(limit - 1000);
    let batch = stage.queue.batch("a").on_end("end", &end).open().await.unwrap();
    batch.seal().await.unwrap();
    stage.run().await;
    let id = format!("batch:a@{}/end", batch.seq().get());
    let ends: Queue<BatchEnd<String>> = Queue::new(stage.queue.storage().clone(), "imports").unwrap();
    assert_eq!(ends.payload(id).await.unwrap().expect("it was enqueued").payload, end);
}

async fn a_callback_whose_id_is_taken(stage: Stage) {
    let batch = stage.batch("a").open().await.unwrap();
    let id = format!("batch:a@{}/end", batch.seq().get());
    stage.take_id(id, &JobOptions::new()).await;
    batch.seal().await.unwrap();
    stage.finish("a").await;
    assert_eq!(stage.kinds(), ["success"], "the job that has the id stays as it is");
}

async fn a_job_outside_a_batch_adds_nothing(stage: Stage) {
    stage
        .queue
        .enqueue_with("plain", Work::Add("child".to_owned()), JobOptions::new().max_attempts(1))
        .await
        .unwrap();
    let report = stage.run().await;
    assert_eq!(report.failed, 1);
    let failed = stage.queue.status("plain").await.unwrap().expect("it is kept").meta;
    assert!(failed.last_error.expect("an error").message().contains("member of no batch"));
}
