//! What an operator does to the job that a batch is, and to its queue.

use crate::{
    on_stores,
    stage::{DAY, HOUR, SECOND, Stage, Work, add},
};
use queue::{
    ErrorKind, JobOptions, OnProcessing, Policy, State, StorageExt,
    queue_core::{Changed, LibraryJob, Span, lifecycle::Event},
};

on_stores!(
    its_job_is_no_job_of_an_application,
    a_promote_before_the_end_puts_it_back,
    a_promote_while_members_go_on_after_a_time_out_puts_it_back,
    a_reschedule_moves_the_time_at_which_it_is_looked_at,
    a_delete_of_its_job_ends_it_without_callbacks,
    a_cancel_of_its_job_abandons_it_and_a_redrive_takes_it_up,
    a_paused_queue_holds_it_up,
    a_member_may_open_a_batch_of_its_own,
    batches_are_listed_newest_first,
);

async fn change(stage: &Stage, name: &str, event: Event) -> Changed {
    let id = stage.coordinator(name).await.id;
    let storage = stage.queue.storage();
    storage.change(stage.queue.name(), &id, event, &Policy::default()).await.unwrap()
}

async fn its_job_is_no_job_of_an_application(stage: Stage) {
    let batch = stage.batch("a").open().await.unwrap();
    let meta = stage.coordinator("a").await;
    assert_eq!(LibraryJob::of(&meta), Some(LibraryJob::Batch("a")));
    for refused in [
        stage.queue.cancel(&meta.id).await,
        stage.queue.promote(&meta.id).await,
        stage.queue.delete(&meta.id).await,
    ] {
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::Invalid);
    }
    assert_eq!(stage.queue.counts().await.unwrap().scheduled, 0, "it waits behind its gate");
    drop(batch);
}

async fn a_promote_before_the_end_puts_it_back(stage: Stage) {
    let batch = stage.batch("a").timeout(DAY).open().await.unwrap();
    batch.add_with("late", Work::Complete, JobOptions::new().delay(HOUR)).await.unwrap();
    for _ in 0..3 {
        change(&stage, "a", Event::Promote).await;
        stage.run().await;
        assert_eq!(stage.coordinator("a").await.state, State::Queued);
    }
    assert!(stage.called().is_empty());
    assert!(batch.add("more", Work::Fail).await.unwrap().is_new());
    stage.run().await;
    assert_eq!(stage.kinds(), ["first"], "a failure still wakes it");
    stage.advance(DAY);
    stage.run().await;
    assert_eq!(stage.kinds(), ["end", "failure"], "its time-out stays where it was");
}

async fn a_promote_while_members_go_on_after_a_time_out_puts_it_back(stage: Stage) {
    let leave = queue::batches::OnTimeout::Leave;
    let batch = stage.batch("a").timeout(HOUR).on_timeout(leave).open().await.unwrap();
    batch.add_with("late", Work::Complete, JobOptions::new().delay(DAY)).await.unwrap();
    stage.advance(HOUR);
    stage.run().await;
    assert_eq!(stage.kinds(), ["end", "failure"]);
    change(&stage, "a", Event::Promote).await;
    stage.run().await;
    assert_eq!(stage.coordinator("a").await.state, State::Queued);
    stage.advance(DAY);
    stage.finish("a").await;
    assert!(stage.called().is_empty());
}

async fn a_reschedule_moves_the_time_at_which_it_is_looked_at(stage: Stage) {
    let batch = stage.batch("a").timeout(HOUR).open().await.unwrap();
    batch.add_with("late", Work::Complete, JobOptions::new().delay(DAY)).await.unwrap();
    change(&stage, "a", Event::Reschedule { delay: Span::from_secs(60) }).await;
    stage.advance(60 * SECOND);
    stage.run().await;
    assert!(stage.called().is_empty(), "it is put back until its own time-out");
    change(&stage, "a", Event::Reschedule { delay: Span::from_secs(2 * 3600) }).await;
    stage.advance(HOUR);
    stage.run().await;
    assert!(stage.called().is_empty(), "it sleeps longer");
    stage.advance(HOUR);
    stage.run().await;
    assert_eq!(stage.kinds(), ["end", "failure"]);
}

async fn a_delete_of_its_job_ends_it_without_callbacks(stage: Stage) {
    let batch = stage.batch("a").open().await.unwrap();
    add(&batch, &[Work::Complete]).await;
    change(&stage, "a", Event::Delete).await;
    stage.run().await;
    assert!(stage.called().is_empty());
    assert!(batch.add("more", Work::Complete).await.is_err() && batch.status().await.is_err());
    let second = stage.batch("a").open().await.unwrap();
    second.seal().await.unwrap();
    stage.finish("a").await;
    assert_eq!(stage.kinds(), ["end", "success"]);
}

async fn a_cancel_of_its_job_abandons_it_and_a_redrive_takes_it_up(stage: Stage) {
    let batch = stage.batch("a").timeout(DAY).open().await.unwrap();
    add(&batch, &[Work::Complete]).await;
    batch.add_with("late", Work::Complete, JobOptions::new().delay(HOUR)).await.unwrap();
    change(&stage, "a", Event::Cancel { processing: OnProcessing::Request }).await;
    stage.run().await;
    assert!(batch.status().await.unwrap().is_abandoned);
    change(&stage, "a", Event::Redrive { content_type: None }).await;
    stage.run().await;
    assert!(stage.called().is_empty());
    batch.seal().await.unwrap();
    stage.advance(HOUR);
    stage.run().await;
    // The end that came while it was abandoned was not counted, so it ends at its time-out.
    assert!(stage.called().is_empty());
    stage.advance(DAY);
    stage.run().await;
    assert_eq!(stage.kinds(), ["end", "failure"]);
}

async fn a_paused_queue_holds_it_up(stage: Stage) {
    let batch = stage.batch("a").open().await.unwrap();
    batch.seal().await.unwrap();
    stage.queue.pause().await.unwrap();
    stage.run().await;
    assert!(stage.called().is_empty());
    stage.queue.resume().await.unwrap();
    stage.finish("a").await;
    assert_eq!(stage.kinds(), ["end", "success"]);
}

async fn a_member_may_open_a_batch_of_its_own(stage: Stage) {
    let outer = stage.batch("outer").open().await.unwrap();
    outer.add("m", Work::Complete).await.unwrap();
    let held = stage.queue.dequeue(SECOND).await.unwrap().expect("it is due");
    let inner = stage.queue.batch("inner").open().await.unwrap();
    inner.add("m", Work::Complete).await.unwrap();
    inner.seal().await.unwrap();
    let _ = held.ack(&()).await.unwrap();
    outer.seal().await.unwrap();
    stage.finish("outer").await;
    stage.finish("inner").await;
    assert_eq!(stage.kinds(), ["end", "success"]);
    assert_eq!(inner.status().await.unwrap().added, 1);
}

async fn batches_are_listed_newest_first(stage: Stage) {
    let first = stage.batch("first").open().await.unwrap();
    add(&first, &[Work::Complete]).await;
    stage.batch("second").open().await.unwrap();
    let _ = stage.queue.batches().cancel("first").await.unwrap();
    let page = stage.queue.batches().list(None, 10).await.unwrap();
    let names: Vec<_> = page.batches.iter().map(|batch| batch.name.as_str()).collect();
    assert_eq!(names, ["second", "first"]);
    assert!(page.batches[1].was_cancelled && page.next.is_none() && page.unreadable.is_empty());
    assert_eq!(page.batches[1].added, 1, "the job that cancels it is none of its members");
    let page = stage.queue.batches().list(None, 1).await.unwrap();
    let page = stage.queue.batches().list(page.next, 1).await.unwrap();
    assert_eq!(page.batches[0].seq, first.seq());
}
