//! The time-out, the cancel and the abandon of a batch.

use crate::{
    on_stores,
    stage::{DAY, HOUR, SECOND, Stage, Work, add},
};
use queue::{
    Change, ErrorKind, JobOptions, State,
    batches::{BatchError, BatchLife, OnTimeout},
};
use std::error::Error as _;

on_stores!(
    a_time_out_cancels_what_has_not_ended,
    a_time_out_may_leave_members,
    a_time_out_ends_a_batch_that_was_never_sealed,
    the_last_end_at_the_time_out_counts,
    a_cancel_ends_members_and_then_the_batch,
    a_cancel_waits_for_a_member_that_runs_and_for_what_it_adds,
    a_cancel_seals_before_a_worker_looks,
    a_cancel_twice_is_one,
    a_cancel_of_a_batch_that_has_ended,
    a_cancel_before_the_time_out,
    an_abandoned_batch_calls_nothing_back_and_frees_its_name,
    a_later_batch_of_the_name_has_callbacks_of_its_own,
    a_plain_job_under_the_id_of_the_cancel_is_none,
    an_abandon_of_a_batch_that_is_cancelled,
    the_counts_of_a_batch_that_is_over_before_its_members_say_until_when,
);

fn late() -> JobOptions {
    JobOptions::new().delay(10 * DAY)
}

async fn a_time_out_cancels_what_has_not_ended(stage: Stage) {
    let batch = stage.batch("a").timeout(HOUR).open().await.unwrap();
    add(&batch, &[Work::Complete]).await;
    batch.add_with("late", Work::Complete, late()).await.unwrap();
    batch.seal().await.unwrap();
    stage.run().await;
    stage.advance(59 * 60 * SECOND);
    stage.run().await;
    assert!(stage.called().is_empty());
    stage.advance(60 * SECOND);
    stage.run().await;
    let called = stage.called();
    let end = &called.iter().find(|called| called.kind == "end").expect("it timed out").end;
    assert!(end.timed_out && !end.was_cancelled);
    assert_eq!((end.added, end.completed, end.cancelled), (2, 1, 0), "one had not ended");
    assert!(called.iter().any(|called| called.kind == "failure"));
    stage.finish("a").await;
    assert_eq!(stage.state(&batch.job("late").unwrap()).await, Some(State::Cancelled));
    assert!(stage.called().is_empty(), "nothing is called twice");
    let status = batch.status().await.unwrap();
    assert_eq!((status.timed_out, status.was_cancelled, status.waiting), (true, false, 1));
}

async fn a_time_out_may_leave_members(stage: Stage) {
    let batch = stage.batch("a").timeout(HOUR).on_timeout(OnTimeout::Leave).open().await.unwrap();
    batch.add_with("late", Work::Complete, late()).await.unwrap();
    stage.advance(HOUR);
    stage.run().await;
    assert_eq!(stage.kinds(), ["end", "failure"]);
    let error = batch.add("more", Work::Complete).await.unwrap_err();
    assert!(matches!(error.source().unwrap().downcast_ref(), Some(BatchError::Ended { .. })), "{error}");
    stage.advance(DAY);
    stage.run().await;
    assert_eq!(stage.coordinator("a").await.state, State::Queued, "it cleans up behind its members");
    stage.advance(10 * DAY);
    stage.finish("a").await;
    assert_eq!(stage.state(&batch.job("late").unwrap()).await, Some(State::Completed));
    assert!(stage.called().is_empty());
}

async fn a_time_out_ends_a_batch_that_was_never_sealed(stage: Stage) {
    let batch = stage.batch("a").timeout(HOUR).open().await.unwrap();
    add(&batch, &[Work::Complete]).await;
    stage.run().await;
    stage.advance(HOUR);
    stage.finish("a").await;
    assert_eq!(stage.kinds(), ["end", "failure"]);
}

async fn the_last_end_at_the_time_out_counts(stage: Stage) {
    let batch = stage.batch("a").timeout(HOUR).open().await.unwrap();
    batch.add_with("m", Work::Complete, JobOptions::new().delay(HOUR)).await.unwrap();
    batch.seal().await.unwrap();
    stage.advance(59 * 60 * SECOND);
    stage.run().await;
    let _ = stage.queue.promote(batch.job("m").unwrap()).await.unwrap();
    let held = stage.queue.dequeue(SECOND).await.unwrap().expect("it is due");
    stage.advance(60 * SECOND); // its lease has lapsed, and no other has it
    let _ = held.ack(&()).await.unwrap();
    stage.finish("a").await;
    assert_eq!(stage.kinds(), ["end", "success"]);
}

async fn a_cancel_ends_members_and_then_the_batch(stage: Stage) {
    let batch = stage.batch("a").open().await.unwrap();
    add(&batch, &[Work::Complete]).await;
    stage.run().await;
    for n in 0..20 {
        batch.add_with(format!("late{n}"), Work::Complete, late()).await.unwrap();
    }
    let _ = stage.queue.batches().cancel("a").await.unwrap();
    stage.finish("a").await;
    let called = stage.called();
    let end = &called.iter().find(|called| called.kind == "end").expect("it ended").end;
    assert_eq!((end.added, end.completed, end.cancelled), (21, 1, 20));
    assert!(end.was_cancelled && !end.timed_out);
    let status = batch.status().await.unwrap();
    assert!(status.was_cancelled && status.is_sealed && status.is_over());
    assert!(batch.add("more", Work::Complete).await.is_err());
}

async fn a_cancel_waits_for_a_member_that_runs_and_for_what_it_adds(stage: Stage) {
    let batch = stage.batch("a").open().await.unwrap();
    batch.add("parent", Work::Complete).await.unwrap();
    let held = stage.queue.dequeue(SECOND).await.unwrap().expect("it is due");
    let _ = stage.queue.batches().cancel("a").await.unwrap();
    for _ in 0..10 {
        stage.run().await;
        stage.advance(SECOND);
    }
    assert!(stage.called().iter().all(|called| called.kind == "first"), "a member runs");
    // What it adds with its end is a member too, which is cancelled in a further round.
    let child = stage.queue.new_job(batch.job("child").unwrap(), &Work::Complete, &late()).unwrap();
    let life = BatchLife::new(batch.name().clone(), batch.seq());
    let child = life.admit(child, true).unwrap();
    let event = queue::queue_core::lifecycle::Event::Complete {
        token: held.lease_token(),
        result: queue::Payload::new("null", queue::ContentType::from_static("application/json")),
        retention: None,
        then: vec![child],
    };
    let policy = queue::Policy::default();
    queue::StorageExt::settle(&**stage.queue.storage(), held.meta(), event, &policy).await.unwrap();
    std::mem::forget(held);
    stage.finish("a").await;
    assert_eq!(stage.state(&batch.job("child").unwrap()).await, Some(State::Cancelled));
    let status = batch.status().await.unwrap();
    assert_eq!((status.added, status.completed, status.cancelled), (2, 1, 1));
}

async fn a_cancel_seals_before_a_worker_looks(stage: Stage) {
    let batch = stage.batch("a").open().await.unwrap();
    batch.add("m0", Work::Complete).await.unwrap();
    let _ = batch.cancel().await.unwrap();
    let error = batch.add("m1", Work::Complete).await.unwrap_err();
    assert!(matches!(error.source().unwrap().downcast_ref(), Some(BatchError::Sealed { .. })), "{error}");
    assert!(!batch.add("m0", Work::Complete).await.unwrap().is_new(), "it is there already");
    let status = batch.status().await.unwrap();
    assert_eq!((status.is_sealed, status.was_cancelled, status.is_over()), (true, true, false));
    stage.finish("a").await;
    assert_eq!(batch.status().await.unwrap().added, 1);
}

async fn a_cancel_twice_is_one(stage: Stage) {
    let batch = stage.batch("a").open().await.unwrap();
    batch.add_with("late", Work::Complete, late()).await.unwrap();
    for _ in 0..20 {
        assert_eq!(stage.queue.batches().cancel("a").await.unwrap(), Change::Requested);
    }
    stage.finish("a").await;
    assert_eq!(stage.kinds(), ["end", "failure", "first"]);
    assert_eq!(batch.status().await.unwrap().added, 1);
}

async fn a_cancel_of_a_batch_that_has_ended(stage: Stage) {
    let batch = stage.batch("a").open().await.unwrap();
    batch.seal().await.unwrap();
    let error = stage.queue.batches().cancel("a").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid, "its last member has ended");
    stage.finish("a").await;
    assert!(stage.queue.batches().cancel("a").await.is_err());
    assert_eq!(stage.kinds(), ["end", "success"]);
}

async fn a_cancel_before_the_time_out(stage: Stage) {
    let batch = stage.batch("a").timeout(HOUR).open().await.unwrap();
    batch.add("m", Work::Complete).await.unwrap();
    let held = stage.queue.dequeue(SECOND).await.unwrap().expect("it is due");
    let _ = stage.queue.batches().cancel("a").await.unwrap();
    stage.run().await;
    stage.advance(HOUR);
    stage.run().await;
    let called = stage.called();
    let end = &called.iter().find(|called| called.kind == "end").expect("it timed out").end;
    assert!(end.timed_out && end.was_cancelled);
    assert_eq!(end.added, 1, "one job cancels it for both");
    drop(held);
    stage.finish("a").await;
    assert!(stage.called().is_empty());
}

async fn an_abandoned_batch_calls_nothing_back_and_frees_its_name(stage: Stage) {
    let first = stage.batch("a").open().await.unwrap();
    add(&first, &[Work::Complete, Work::Fail]).await;
    assert_eq!(stage.queue.batches().abandon("a").await.unwrap(), Change::Done);
    assert_eq!(stage.queue.batches().abandon("a").await.unwrap(), Change::Done);
    stage.run().await;
    assert!(stage.called().is_empty());
    assert_eq!(stage.state(&first.job("m0").unwrap()).await, Some(State::Completed), "members go on");
    assert!(first.status().await.unwrap().is_abandoned);
    assert!(first.add("m2", Work::Complete).await.is_err() && first.seal().await.is_err());

    let second = stage.batch("a").open().await.unwrap();
    assert_ne!(second.seq(), first.seq());
    assert!(second.add("m0", Work::Complete).await.unwrap().is_new());
    assert!(first.add("m2", Work::Complete).await.is_err(), "a child of the first is none of the second");
    let child = first.job("m3").unwrap();
    let child = stage.queue.new_job(child, &Work::Complete, &JobOptions::new()).unwrap();
    let child = BatchLife::new(first.name().clone(), first.seq()).admit(child, true).unwrap();
    let stored = stage.queue.storage().enqueue(stage.queue.name(), vec![vec![child]]).await.unwrap();
    assert_eq!(stored.value, [[queue::queue_core::Enqueued::Orphaned]]);
    second.seal().await.unwrap();
    stage.finish("a").await;
    let called = stage.called();
    assert_eq!((called.len(), called[0].end.added), (2, 1));
    assert_eq!(stage.queue.batches().abandon("b").await.unwrap(), Change::Missing);
    assert!(stage.queue.batches().abandon("a").await.is_err(), "its callbacks have run");
}

async fn a_later_batch_of_the_name_has_callbacks_of_its_own(stage: Stage) {
    for _ in 0..2 {
        let batch = stage.batch("a").open().await.unwrap();
        add(&batch, &[Work::Fail]).await;
        stage.run().await;
        assert_eq!(stage.kinds(), ["first"]);
        assert_eq!(stage.queue.batches().abandon("a").await.unwrap(), Change::Done);
    }
}

async fn a_plain_job_under_the_id_of_the_cancel_is_none(stage: Stage) {
    let batch = stage.batch("a").open().await.unwrap();
    add(&batch, &[Work::Complete]).await;
    let id = BatchLife::new(batch.name().clone(), batch.seq()).halt();
    stage.take_id(id.as_str(), &late()).await;
    let status = batch.status().await.unwrap();
    assert_eq!((status.added, status.was_cancelled), (1, false));
    batch.seal().await.unwrap();
    stage.finish("a").await;
    assert_eq!(stage.kinds(), ["end", "success"]);
}

async fn an_abandon_of_a_batch_that_is_cancelled(stage: Stage) {
    let batch = stage.batch("a").open().await.unwrap();
    batch.add_with("late", Work::Complete, late()).await.unwrap();
    let _ = stage.queue.batches().cancel("a").await.unwrap();
    assert_eq!(stage.queue.batches().abandon("a").await.unwrap(), Change::Done);
    stage.run().await;
    assert_eq!(stage.state(&batch.job("late").unwrap()).await, Some(State::Queued), "members go on");
    assert!(stage.called().is_empty());
}

async fn the_counts_of_a_batch_that_is_over_before_its_members_say_until_when(stage: Stage) {
    let batch = stage.batch("a").timeout(DAY).open().await.unwrap();
    batch.add_with("late", Work::Complete, late()).await.unwrap();
    assert_eq!(batch.status().await.unwrap().counted_until(), None);
    stage.advance(SECOND);
    let _ = batch.abandon().await.unwrap();
    let status = batch.status().await.unwrap();
    assert_eq!(status.counted_until(), status.meta.finished_at);
    assert!(status.counted_until() > Some(status.meta.created_at), "the moment at which it was abandoned");
    let timed = stage.batch("timed").timeout(HOUR).open().await.unwrap();
    timed.add_with("late", Work::Complete, JobOptions::new().delay(DAY)).await.unwrap();
    stage.advance(HOUR);
    stage.run().await;
    let status = timed.status().await.unwrap();
    assert!(status.timed_out && status.counted_until().is_some());
    assert_eq!(status.counted_until(), status.ended_at);
    let empty = stage.batch("empty").open().await.unwrap();
    let _ = empty.abandon().await.unwrap();
    assert_eq!(empty.status().await.unwrap().counted_until(), None, "nothing is left to count");
    let ended = stage.batch("ended").open().await.unwrap();
    ended.seal().await.unwrap();
    stage.finish("ended").await;
    assert_eq!(ended.status().await.unwrap().counted_until(), None);
}
