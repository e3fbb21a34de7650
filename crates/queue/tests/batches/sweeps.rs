//! The end of the records of members of a batch that was abandoned.

use crate::{
    on_stores,
    stage::{DAY, HOUR, SECOND, Stage, Work, add},
};
use queue::{
    Error, JobId, JobOptions, OnProcessing, Policy, Seq, State, StorageExt,
    batches::{BatchError, BatchLife, BatchSweep, OnTimeout},
    queue_core::lifecycle::Event,
};
use std::{error::Error as _, time::Duration};

on_stores!(
    members_of_an_abandoned_batch_are_kept_as_long_as_it_says,
    members_that_are_not_to_be_kept_are_deleted,
    a_batch_that_goes_on_is_refused,
    a_member_that_goes_on_is_refused,
    asked_twice_it_is_one_operation,
    an_earlier_batch_of_the_name_is_kept_for_a_day,
    a_batch_that_never_was_is_refused,
    the_job_that_cancels_an_abandoned_batch_is_no_more_kept_than_its_members,
    a_batch_that_ended_by_itself_is_left_as_it_is,
    a_sweep_that_was_cancelled_has_stopped,
);

fn refusal(error: &Error) -> Option<&BatchError> {
    error.source().and_then(|source| source.downcast_ref())
}

async fn members_of_an_abandoned_batch_are_kept_as_long_as_it_says(stage: Stage) {
    let batch = stage.batch("a").keep(2 * HOUR).open().await.unwrap();
    add(&batch, &[Work::Complete, Work::Fail]).await;
    stage.run().await;
    let _ = stage.queue.batches().abandon("a").await.unwrap();
    stage.advance(DAY);
    let _ = batch.sweep().await.unwrap();
    stage.advance(SECOND);
    stage.run().await;
    let members = [batch.job("m0").unwrap(), batch.job("m1").unwrap()];
    stage.advance(119 * 60 * SECOND);
    for member in &members {
        assert!(stage.state(member).await.is_some(), "from the sweep on");
    }
    stage.advance(60 * SECOND);
    for member in &members {
        assert_eq!(stage.state(member).await, None);
    }
    assert_eq!(stage.kinds(), ["first"]);
}

async fn members_that_are_not_to_be_kept_are_deleted(stage: Stage) {
    let batch = stage.batch("a").keep(Duration::ZERO).open().await.unwrap();
    add(&batch, &[Work::Complete]).await;
    stage.run().await;
    let _ = batch.abandon().await.unwrap();
    let _ = batch.sweep().await.unwrap();
    stage.advance(SECOND);
    stage.run().await;
    assert_eq!(stage.state(&batch.job("m0").unwrap()).await, None);
    let _ = batch.sweep().await.unwrap();
}

async fn a_batch_that_goes_on_is_refused(stage: Stage) {
    let leave = OnTimeout::Leave;
    let batch = stage.batch("a").timeout(HOUR).on_timeout(leave).keep(Duration::ZERO).open().await.unwrap();
    batch.add_with("late", Work::Complete, JobOptions::new().delay(DAY)).await.unwrap();
    let refused = async || {
        let error = batch.sweep().await.unwrap_err();
        assert!(matches!(refusal(&error), Some(BatchError::GoesOn { .. })), "{error}");
    };
    refused().await;
    batch.seal().await.unwrap();
    refused().await;
    stage.advance(HOUR);
    stage.run().await;
    assert!(batch.status().await.unwrap().timed_out);
    refused().await;
    stage.advance(DAY);
    stage.finish("a").await;
    assert_eq!(stage.state(&batch.job("late").unwrap()).await, None, "it does so by itself");
}

async fn a_member_that_goes_on_is_refused(stage: Stage) {
    let batch = stage.batch("a").keep(Duration::ZERO).open().await.unwrap();
    batch.add("runs", Work::Complete).await.unwrap();
    let held = stage.queue.dequeue(SECOND).await.unwrap().expect("it is due");
    batch.add_with("late", Work::Complete, JobOptions::new().delay(HOUR)).await.unwrap();
    let _ = batch.abandon().await.unwrap();
    let refused = async |id: &JobId| match refusal(&batch.sweep().await.unwrap_err()) {
        Some(BatchError::MemberGoesOn { id: named, .. }) => assert_eq!(named, id),
        other => panic!("{other:?}"),
    };
    refused(&batch.job("runs").unwrap()).await;
    let _ = held.ack(&()).await.unwrap();
    refused(&batch.job("late").unwrap()).await;
    let _ = stage.queue.cancel(&batch.job("late").unwrap()).await.unwrap();
    let _ = batch.sweep().await.unwrap();
    stage.advance(SECOND);
    stage.run().await;
    assert_eq!(batch.jobs().count().await.unwrap().jobs, 0);
}

async fn asked_twice_it_is_one_operation(stage: Stage) {
    let batch = stage.batch("a").keep(DAY).open().await.unwrap();
    add(&batch, &[Work::Complete]).await;
    stage.run().await;
    let _ = batch.abandon().await.unwrap();
    let life = BatchLife::new(batch.name().clone(), batch.seq());
    assert_eq!(stage.queue.batches().sweep(&life).await.unwrap(), BatchSweep::Sweeping);
    let begun = stage.meta(&life.sweep()).await.expect("it is begun");
    assert_eq!(batch.sweep().await.unwrap(), BatchSweep::Sweeping);
    assert_eq!(stage.meta(&life.sweep()).await.map(|job| job.seq), Some(begun.seq));
    stage.advance(SECOND);
    stage.run().await;
    let over = stage.meta(&life.sweep()).await.expect("it is kept");
    assert_eq!(over.state, State::Completed);
    let swept = stage.meta(&batch.job("m0").unwrap()).await.expect("it is kept");
    assert_eq!(batch.sweep().await.unwrap(), BatchSweep::Swept);
    stage.advance(SECOND);
    stage.run().await;
    assert_eq!(stage.meta(&life.sweep()).await.map(|job| job.revision), Some(over.revision));
    let after = stage.meta(&batch.job("m0").unwrap()).await.expect("it is kept");
    assert_eq!(after.purge_at, swept.purge_at);
}

async fn an_earlier_batch_of_the_name_is_kept_for_a_day(stage: Stage) {
    let first = stage.batch("a").keep(Duration::ZERO).open().await.unwrap();
    add(&first, &[Work::Complete]).await;
    let _ = first.abandon().await.unwrap();
    let second = stage.batch("a").open().await.unwrap();
    add(&second, &[Work::Complete]).await;
    stage.run().await;
    let life = BatchLife::new(first.name().clone(), first.seq());
    let _ = stage.queue.batches().sweep(&life).await.unwrap();
    stage.advance(SECOND);
    stage.run().await;
    stage.advance(23 * HOUR);
    assert!(stage.state(&first.job("m0").unwrap()).await.is_some(), "its own `keep` is not known");
    stage.advance(HOUR);
    assert_eq!(stage.state(&first.job("m0").unwrap()).await, None);
    assert!(stage.state(&second.job("m0").unwrap()).await.is_some());
}

async fn a_batch_that_never_was_is_refused(stage: Stage) {
    let batch = stage.batch("a").open().await.unwrap();
    let _ = batch.abandon().await.unwrap();
    let life = BatchLife::new(batch.name().clone(), Seq::new(batch.seq().get() + 1));
    let error = stage.queue.batches().sweep(&life).await.unwrap_err();
    assert!(matches!(refusal(&error), Some(BatchError::NoBatch { .. })), "{error}");
    let _ = batch.sweep().await.unwrap();
}

async fn the_job_that_cancels_an_abandoned_batch_is_no_more_kept_than_its_members(stage: Stage) {
    let batch = stage.batch("a").keep(HOUR).open().await.unwrap();
    let _ = batch.cancel().await.unwrap();
    let _ = batch.abandon().await.unwrap();
    let halt = BatchLife::new(batch.name().clone(), batch.seq()).halt();
    let error = batch.sweep().await.unwrap_err();
    assert!(matches!(refusal(&error), Some(BatchError::MemberGoesOn { id, .. }) if *id == halt), "{error}");
    stage.run().await;
    assert_eq!(stage.meta(&halt).await.and_then(|job| job.purge_at), None);
    let _ = batch.sweep().await.unwrap();
    stage.advance(HOUR);
    assert_eq!(stage.state(&halt).await, None);
}

async fn a_batch_that_ended_by_itself_is_left_as_it_is(stage: Stage) {
    let batch = stage.batch("a").keep(2 * DAY).open().await.unwrap();
    add(&batch, &[Work::Complete]).await;
    batch.seal().await.unwrap();
    stage.finish("a").await;
    let before = stage.meta(&batch.job("m0").unwrap()).await.and_then(|job| job.purge_at);
    assert!(before.is_some());
    stage.advance(HOUR);
    assert_eq!(batch.sweep().await.unwrap(), BatchSweep::Swept);
    stage.run().await;
    assert_eq!(stage.meta(&batch.job("m0").unwrap()).await.and_then(|job| job.purge_at), before);
    stage.advance(25 * HOUR);
    assert_eq!(stage.meta(&batch.status().await.unwrap().life().sweep()).await, None);
    assert_eq!(batch.sweep().await.unwrap(), BatchSweep::Swept, "the record of the operation is removed");
}

async fn a_sweep_that_was_cancelled_has_stopped(stage: Stage) {
    let batch = stage.batch("a").open().await.unwrap();
    add(&batch, &[Work::Complete]).await;
    stage.run().await;
    let _ = batch.abandon().await.unwrap();
    let _ = batch.sweep().await.unwrap();
    let operation = batch.status().await.unwrap().life().sweep();
    let storage = stage.queue.storage();
    let event = Event::Cancel { processing: OnProcessing::Leave };
    storage.change(stage.queue.name(), &operation, event, &Policy::default()).await.unwrap();
    assert_eq!(batch.sweep().await.unwrap(), BatchSweep::Stopped);
}
