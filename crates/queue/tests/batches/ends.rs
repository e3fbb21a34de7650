//! How a batch ends: after all members, however they end, and once.

use crate::{
    on_stores,
    stage::{Called, DAY, HOUR, SECOND, Stage, Work, add},
};
use queue::{Change, JobId, JobOptions, State, StorageExt};
use std::time::Duration;

on_stores!(
    all_complete,
    nothing_runs_before_the_seal_and_before_the_last_end,
    an_empty_batch_ends_with_success,
    a_failed_member_makes_it_a_failure,
    a_cancelled_member_makes_it_a_failure,
    a_member_that_is_tried_again_has_not_ended,
    every_way_to_end_counts_once,
    a_redrive_counts_nowhere,
    a_member_adds_another_also_after_the_seal,
    a_member_that_dies_before_its_settle_adds_nothing,
    the_first_failure_is_told_once_and_at_once,
    a_first_failure_that_is_the_last_end_is_told_too,
    members_are_kept_from_the_end_on_and_the_batch_an_hour_longer,
    members_are_kept_after_a_first_failure_while_the_batch_goes_on,
    members_that_are_not_to_be_kept_are_deleted,
    a_callback_in_another_queue_is_enqueued_there,
);

async fn all_complete(stage: Stage) {
    let batch = stage.batch("a").open().await.unwrap();
    add(&batch, &[Work::Complete, Work::Complete, Work::Complete]).await;
    batch.seal().await.unwrap();
    assert_eq!(stage.finish("a").await.state, State::Completed);
    let called = stage.called();
    let kinds: Vec<_> = called.iter().map(|called| called.kind).collect();
    assert_eq!(kinds, ["end", "success"]);
    let Called { end, .. } = &called[0];
    assert_eq!((end.batch.as_str(), end.payload.as_str()), ("a", "given"));
    assert_eq!((end.added, end.completed, end.failed, end.cancelled), (3, 3, 0, 0));
    assert!(!end.timed_out && !end.was_cancelled);
    let status = batch.status().await.unwrap();
    assert_eq!((status.added, status.completed, status.waiting), (3, 3, 0));
    assert!(status.is_sealed && status.is_over() && status.ended_at.is_some());
}

async fn nothing_runs_before_the_seal_and_before_the_last_end(stage: Stage) {
    let batch = stage.batch("a").open().await.unwrap();
    add(&batch, &[Work::Complete]).await;
    stage.run().await;
    let status = batch.status().await.unwrap();
    assert_eq!((status.added, status.completed, status.is_over()), (1, 1, false));
    let later = JobOptions::new().delay(HOUR);
    batch.add_with("late", Work::Complete, later).await.unwrap();
    batch.seal().await.unwrap();
    stage.run().await;
    assert!(stage.called().is_empty());
    assert_eq!(stage.coordinator("a").await.epoch, 0, "it costs no claim");
    stage.advance(HOUR);
    stage.finish("a").await;
    assert_eq!(stage.kinds(), ["end", "success"]);
}

async fn an_empty_batch_ends_with_success(stage: Stage) {
    let batch = stage.batch("a").open().await.unwrap();
    stage.run().await;
    assert!(stage.called().is_empty());
    batch.seal().await.unwrap();
    stage.finish("a").await;
    assert_eq!(stage.kinds(), ["end", "success"]);
    batch.seal().await.unwrap();
    stage.run().await;
    assert!(stage.called().is_empty());
}

async fn a_failed_member_makes_it_a_failure(stage: Stage) {
    let batch = stage.batch("a").open().await.unwrap();
    add(&batch, &[Work::Complete, Work::Fail]).await;
    batch.seal().await.unwrap();
    stage.finish("a").await;
    let called = stage.called();
    let end = &called.iter().find(|called| called.kind == "end").unwrap().end;
    assert_eq!((end.added, end.completed, end.failed), (2, 1, 1));
    let mut kinds: Vec<_> = called.iter().map(|called| called.kind).collect();
    kinds.sort_unstable();
    assert_eq!(kinds, ["end", "failure", "first"]);
}

async fn a_cancelled_member_makes_it_a_failure(stage: Stage) {
    let batch = stage.batch("a").open().await.unwrap();
    add(&batch, &[Work::Complete, Work::Complete]).await;
    assert_eq!(stage.queue.cancel(batch.job("m0").unwrap()).await.unwrap(), Change::Done);
    batch.seal().await.unwrap();
    stage.finish("a").await;
    assert_eq!(stage.kinds(), ["end", "failure", "first"]);
}

async fn a_member_that_is_tried_again_has_not_ended(stage: Stage) {
    let batch = stage.batch("a").open().await.unwrap();
    add(&batch, &[Work::FailOnce]).await;
    batch.seal().await.unwrap();
    stage.run().await;
    assert_eq!(batch.status().await.unwrap().waiting, 1);
    assert!(stage.called().is_empty());
    stage.advance(DAY);
    stage.finish("a").await;
    assert_eq!(stage.kinds(), ["end", "success"]);
}

/// Cancelled, deleted, expired, and lapsed with its last stall.
async fn every_way_to_end_counts_once(stage: Stage) {
    let batch = stage.batch("a").open().await.unwrap();
    let queue = &stage.queue;
    batch.add_with("lapsed", Work::Complete, JobOptions::new().max_stalls(1)).await.unwrap();
    let held = queue.dequeue(SECOND).await.unwrap().expect("it is due");
    std::mem::forget(held);
    stage.advance(HOUR);
    queue.storage().rescue(queue.name(), 10, &queue::Policy::default()).await.unwrap();
    assert_eq!(stage.state(&batch.job("lapsed").unwrap()).await, Some(State::Failed));

    add(&batch, &[Work::Complete, Work::Complete]).await;
    batch.add_with("expired", Work::Complete, JobOptions::new().expires_in(SECOND)).await.unwrap();
    for _ in 0..2 {
        assert_eq!(queue.cancel(batch.job("m0").unwrap()).await.unwrap(), Change::Done);
    }
    assert_eq!(queue.delete(batch.job("m1").unwrap()).await.unwrap(), Change::Done);
    assert_eq!(queue.delete(batch.job("m1").unwrap()).await.unwrap(), Change::Missing);
    stage.advance(HOUR);
    batch.seal().await.unwrap();
    stage.finish("a").await;
    let status = batch.status().await.unwrap();
    assert_eq!((status.added, status.completed, status.failed, status.cancelled), (4, 0, 1, 3));
    assert_eq!(stage.kinds(), ["end", "failure", "first"]);
}

async fn a_redrive_counts_nowhere(stage: Stage) {
    let batch = stage.batch("a").open().await.unwrap();
    add(&batch, &[Work::Fail, Work::Complete]).await;
    stage.run().await;
    for _ in 0..3 {
        assert_eq!(stage.queue.redrive(batch.job("m0").unwrap()).await.unwrap(), Change::Done);
        stage.run().await;
    }
    let status = batch.status().await.unwrap();
    assert_eq!((status.added, status.completed, status.failed, status.waiting), (2, 1, 1, 0));
    batch.seal().await.unwrap();
    stage.finish("a").await;
    assert_eq!(stage.kinds(), ["end", "failure", "first"]);
}

async fn a_member_adds_another_also_after_the_seal(stage: Stage) {
    let batch = stage.batch("a").open().await.unwrap();
    add(&batch, &[Work::Add("child".to_owned()), Work::Add("child".to_owned())]).await;
    batch.seal().await.unwrap();
    stage.finish("a").await;
    assert_eq!(stage.state(&batch.job("child").unwrap()).await, Some(State::Completed));
    let called = stage.called();
    assert_eq!(called.len(), 2);
    assert_eq!((called[0].end.added, called[0].end.completed), (3, 3), "one child, which counts once");
}

async fn a_member_that_dies_before_its_settle_adds_nothing(stage: Stage) {
    let batch = stage.batch("a").open().await.unwrap();
    add(&batch, &[Work::AddAndFail("child".to_owned())]).await;
    batch.seal().await.unwrap();
    stage.finish("a").await;
    assert_eq!(stage.state(&batch.job("child").unwrap()).await, None);
    let status = batch.status().await.unwrap();
    assert_eq!((status.added, status.failed), (1, 1));
}

async fn the_first_failure_is_told_once_and_at_once(stage: Stage) {
    let batch = stage.batch("a").open().await.unwrap();
    add(&batch, &[Work::Fail, Work::Complete, Work::Fail]).await;
    batch.add_with("late", Work::Fail, JobOptions::new().delay(HOUR)).await.unwrap();
    stage.run().await;
    let called = stage.called();
    assert_eq!(called.iter().map(|called| called.kind).collect::<Vec<_>>(), ["first"]);
    assert!(called[0].end.failed >= 1 && called[0].end.added == 4);
    let callback = JobId::new(format!("batch:a@{}/first-failure", batch.seq().get())).unwrap();
    assert_eq!(stage.meta(&callback).await.unwrap().priority, i16::MIN, "before members that wait");
    assert!(batch.status().await.unwrap().first_failure.is_some());
    assert_eq!(stage.coordinator("a").await.epoch, 1, "the second failure wakes nothing");
    batch.seal().await.unwrap();
    stage.advance(HOUR);
    stage.run().await;
    assert_eq!(stage.kinds(), ["end", "failure"]);
    assert_eq!(stage.coordinator("a").await.epoch, 2, "it runs once more before it cleans up");
}

async fn a_first_failure_that_is_the_last_end_is_told_too(stage: Stage) {
    let batch = stage.batch("a").open().await.unwrap();
    add(&batch, &[Work::Fail]).await;
    batch.seal().await.unwrap();
    stage.finish("a").await;
    assert_eq!(stage.kinds(), ["end", "failure", "first"]);
}

async fn members_are_kept_from_the_end_on_and_the_batch_an_hour_longer(stage: Stage) {
    let batch = stage.batch("a").keep(2 * DAY).timeout(30 * DAY).open().await.unwrap();
    add(&batch, &[Work::Complete]).await;
    let member = batch.job("m0").unwrap();
    stage.run().await;
    stage.advance(7 * DAY);
    assert_eq!(stage.state(&member).await, Some(State::Completed), "as long as the batch is open");
    assert!(!batch.add("m0", Work::Complete).await.unwrap().is_new());
    batch.seal().await.unwrap();
    stage.finish("a").await;
    stage.advance(47 * HOUR);
    assert!(stage.state(&member).await.is_some());
    stage.advance(HOUR + HOUR / 2);
    assert!(stage.state(&member).await.is_none());
    assert!(batch.status().await.is_ok());
    stage.advance(HOUR);
    assert!(batch.status().await.is_err(), "its name is free");
    let second = stage.batch("a").open().await.unwrap();
    assert!(second.seq() > batch.seq());
    assert!(second.add("m0", Work::Complete).await.unwrap().is_new());
}

async fn members_are_kept_after_a_first_failure_while_the_batch_goes_on(stage: Stage) {
    let batch = stage.batch("a").keep(HOUR).open().await.unwrap();
    add(&batch, &[Work::Fail]).await;
    stage.run().await;
    assert_eq!(stage.kinds(), ["first"]);
    for _ in 0..2 {
        stage.advance(DAY);
        stage.run().await;
    }
    assert!(!batch.add("m0", Work::Fail).await.unwrap().is_new(), "a repeated producer adds nothing twice");
}

async fn members_that_are_not_to_be_kept_are_deleted(stage: Stage) {
    let batch = stage.batch("a").keep(Duration::ZERO).open().await.unwrap();
    add(&batch, &[Work::Complete, Work::Fail]).await;
    batch.seal().await.unwrap();
    stage.finish("a").await;
    for id in ["m0", "m1"] {
        assert_eq!(stage.state(&batch.job(id).unwrap()).await, None, "{id}");
    }
    assert_eq!(stage.kinds(), ["end", "failure", "first"]);
}

async fn a_callback_in_another_queue_is_enqueued_there(stage: Stage) {
    let given = "given".to_owned();
    let batch = stage.queue.batch("a").on_end(crate::stage::END, &given).callbacks_in("reports");
    let batch = batch.open().await.unwrap();
    batch.seal().await.unwrap();
    stage.finish("a").await;
    let reports: queue::Queue<String> = queue::Queue::new(stage.queue.storage().clone(), "reports").unwrap();
    let id = format!("batch:a@{}/end", batch.seq().get());
    assert!(reports.status(id).await.unwrap().is_some());
    assert!(stage.called().is_empty());
}
