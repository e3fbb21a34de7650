//! Changes of jobs and schedules that a producer replaces just before they arrive.

#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test")]

use crate::support::{SECOND, TextQueue, memory, on};
use queue::{
    Change, ErrorKind, JobAmendment, JobOptions, Keep, OnProcessing, Queue, State, Storage,
    queue_core::LIVES_MAX,
    schedules::{Put, Schedule, Timing},
};
use queue_testkit::fault::Overtaken;
use std::{sync::Arc, time::Duration};
use tokio::time::Instant;

fn debounced() -> JobOptions {
    JobOptions::new().debounce(5 * SECOND).tag("mail")
}

/// A queue with the job "a", which is replaced before each of the next changes, and the same queue
/// without that producer.
async fn overtaken(times: usize) -> (TextQueue, TextQueue) {
    let store = memory();
    let beside = on(store.clone());
    beside.enqueue_with("a", "first".to_owned(), debounced()).await.unwrap();
    let overtaken = Overtaken::new(store, times, |store, _| async move {
        let replaced = on(store).enqueue_with("a", "newer".to_owned(), debounced()).await.unwrap();
        assert!(replaced.is_new());
    });
    (on(overtaken), beside)
}

#[tokio::test(start_paused = true)]
async fn changes_of_a_job_that_is_replaced_meanwhile_change_the_job_that_waits_now() {
    let (queue, beside) = overtaken(3).await;
    assert_eq!(queue.cancel("a").await.unwrap(), Change::Done);
    assert_eq!(beside.status("a").await.unwrap().unwrap().state(), State::Cancelled);
    let (queue, beside) = overtaken(3).await;
    assert_eq!(queue.cancel_with("a", OnProcessing::Request).await.unwrap(), Change::Done);
    assert_eq!(beside.status("a").await.unwrap().unwrap().state(), State::Cancelled);
    let (queue, beside) = overtaken(3).await;
    assert_eq!(queue.promote("a").await.unwrap(), Change::Done);
    assert_eq!(beside.status("a").await.unwrap().unwrap().due_in(), Some(Duration::ZERO));
    let (queue, beside) = overtaken(3).await;
    assert_eq!(queue.delete("a").await.unwrap(), Change::Done);
    assert!(beside.status("a").await.unwrap().is_none());
}

/// The job that waits now can be neither redriven nor retained, but it is there.
#[tokio::test(start_paused = true)]
async fn a_finished_job_that_is_replaced_meanwhile_is_not_missing() {
    let (queue, beside) = overtaken(1).await;
    assert_eq!(beside.cancel("a").await.unwrap(), Change::Done);
    assert_eq!(queue.redrive("a").await.unwrap(), Change::NotAllowed(State::Queued));
    let (queue, beside) = overtaken(1).await;
    assert_eq!(beside.cancel("a").await.unwrap(), Change::Done);
    let retained = queue.set_retention("a", Keep::Forever).await.unwrap();
    assert_eq!(retained, Change::NotAllowed(State::Queued));
}

#[tokio::test(start_paused = true)]
async fn an_amendment_of_a_job_that_is_replaced_meanwhile_amends_the_job_that_waits_now() {
    let (queue, beside) = overtaken(3).await;
    let amendment = JobAmendment::new().payload("amended".to_owned());
    assert_eq!(queue.amend("a", amendment).await.unwrap(), Change::Done);
    assert_eq!(beside.payload("a").await.unwrap().as_deref(), Some("amended"));
}

/// Each life counts its revisions from one.
#[tokio::test(start_paused = true)]
async fn an_amendment_of_a_revision_that_was_seen_leaves_the_next_life_alone() {
    let amendment = JobAmendment::new().payload("amended".to_owned());
    let (queue, beside) = overtaken(1).await;
    let seen = beside.status("a").await.unwrap().unwrap().meta;
    assert_eq!(queue.amend("a", amendment.clone().at_revision(seen.revision)).await.unwrap(), Change::Moved);
    let named = amendment.of_life(seen.seq).at_revision(seen.revision);
    assert_eq!(queue.amend("a", named.clone()).await.unwrap(), Change::Moved, "the life had ended before");
    assert_eq!(beside.payload("a").await.unwrap().as_deref(), Some("newer"));
    let _ = beside.delete("a").await.unwrap();
    assert_eq!(queue.amend("a", named).await.unwrap(), Change::Missing);
}

#[tokio::test(start_paused = true)]
async fn a_change_of_many_meets_the_job_that_took_the_place_of_a_selected_one() {
    let (queue, beside) = overtaken(3).await;
    beside.enqueue_with("b", "other".to_owned(), debounced()).await.unwrap();
    let cancelled = queue.jobs().tag("mail").cancel_all().await.unwrap();
    assert_eq!((cancelled.done, cancelled.skipped, cancelled.failed), (2, 0, 0), "{cancelled:?}");
    assert_eq!(beside.counts().await.unwrap().of(State::Cancelled), 2);
}

#[tokio::test(start_paused = true)]
async fn a_change_that_loses_every_race_says_that_another_try_may_win() {
    let (queue, beside) = overtaken(usize::MAX).await;
    for error in [
        queue.cancel("a").await.unwrap_err(),
        queue.amend("a", JobAmendment::new().priority(3)).await.unwrap_err(),
        queue.jobs().tag("mail").cancel_all().await.unwrap().error.expect("it kept moving"),
    ] {
        assert_eq!(error.kind(), ErrorKind::Conflict, "{error}");
        assert!(error.is_transient() && error.message().contains("again"), "{error}");
    }
    assert_eq!(beside.status("a").await.unwrap().unwrap().state(), State::Queued);
    let (queue, _) = overtaken(LIVES_MAX - 1).await;
    assert_eq!(queue.cancel("a").await.unwrap(), Change::Done, "the last try counts");
}

fn every(hours: u32) -> Schedule<String> {
    Schedule::new("s", Timing::every(hours * 3600 * SECOND).unwrap(), "sales".to_owned())
}

/// A schedule whose declarers disagree: each of the next changes is preceded by an edit.
async fn edited(times: usize) -> (Queue<String>, Queue<String>) {
    fn reports(store: Arc<dyn Storage>) -> Queue<String> {
        Queue::new(store, "reports").unwrap()
    }
    let store = memory();
    let beside = reports(store.clone());
    assert_eq!(beside.schedules().put(&every(100)).await.unwrap(), Put::Created);
    let overtaken = Overtaken::new(store, times, |store, left| async move {
        let every = every(u32::try_from(left + 1).unwrap());
        assert_eq!(reports(store).schedules().put(&every).await.unwrap(), Put::Changed);
    });
    (reports(overtaken), beside)
}

#[tokio::test(start_paused = true)]
async fn a_schedule_that_is_edited_meanwhile_is_paused_resumed_and_removed() {
    let (queue, beside) = edited(3).await;
    assert_eq!(queue.schedules().pause("s").await.unwrap(), Change::Done);
    assert!(beside.schedules().get("s").await.unwrap().unwrap().is_paused());

    let (queue, beside) = edited(3).await;
    assert_eq!(beside.schedules().pause("s").await.unwrap(), Change::Done);
    assert_eq!(queue.schedules().resume("s").await.unwrap(), Change::Done);
    assert!(!beside.schedules().get("s").await.unwrap().unwrap().is_paused());

    let (queue, beside) = edited(3).await;
    assert_eq!(queue.schedules().remove("s").await.unwrap(), Change::Done);
    assert!(beside.schedules().get("s").await.unwrap().is_none());
}

/// Only a worker that holds the schedule is waited for.
#[tokio::test(start_paused = true)]
async fn a_put_that_edits_overtake_is_tried_again_at_once() {
    let (queue, beside) = edited(3).await;
    let begun = Instant::now();
    assert_eq!(queue.schedules().put(&every(200)).await.unwrap(), Put::Changed);
    assert_eq!(begun.elapsed(), Duration::ZERO);
    assert_eq!(beside.schedules().put(&every(200)).await.unwrap(), Put::Unchanged);
}
