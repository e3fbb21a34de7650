//! Operations while others change the same jobs, stop the operation, or refuse a change.

use super::setup::{Given, counts, operations, tests};
use crate::support::{id, job};
use queue_core::{
    ClaimedJob, Retention, State, UnreadableWaits,
    lifecycle::{Event, OnProcessing},
};
use queue_view::Standing;
use queue_worker::{
    ReservedJob, handle_reserved,
    operations::{Action, DRY_RUN_MAX, OperationCounts, count_members},
};
use std::sync::atomic::Ordering;

const STOPS: Action = Action::Cancel { processing: OnProcessing::Leave };

#[tokio::test]
async fn a_change_that_the_store_refuses_is_counted_and_holds_up_no_other() {
    let given = Given::new();
    given.put_failed(5).await;
    *given.mortal.refused.lock().expect("nobody panics") = Some(id("failed-2"));
    let spec = given.spec(Action::REDRIVE, &[Standing::Failed]).await;
    given.begin(&spec).await;
    let (state, progress) = given.run().await;
    assert_eq!((state, progress.counts), (State::Completed, counts(4, 0, 1)));
    let error = progress.error.expect("it says why");
    assert!(error.contains("this change breaks a limit"), "{error}");
    for (name, job) in given.jobs().await {
        assert_eq!(job.state == State::Failed, name == "failed-2", "{name}");
    }
}

/// A page has at most 500 jobs.
#[tokio::test]
async fn one_that_is_stopped_between_two_pages_changes_no_job_of_the_second() {
    let given = Given::new();
    given.put_many(1_200).await;
    let spec = given.spec(STOPS, &[Standing::Due]).await;
    given.begin(&spec).await;
    given.mortal.is_stopped_early.store(true, Ordering::SeqCst);
    let (state, progress) = given.run().await;
    assert_eq!((state, progress.counts, progress.in_flight()), (State::Cancelled, counts(500, 0, 0), 0));
    let cancelled = given.jobs().await.values().filter(|job| job.state == State::Cancelled).count();
    assert_eq!(cancelled, 500, "as many as it counted");
}

/// After 16 pages it lets others of its queue have their turn.
#[tokio::test]
async fn one_that_is_stopped_while_it_waits_for_its_next_turn_is_over_at_once() {
    let given = Given::new();
    for n in 0..1_500 {
        given.put(job(&format!("{n:0>250}"), 0)).await;
    }
    let spec = given.spec(Action::Prioritize(7), &[Standing::Due]).await;
    given.begin(&spec).await;
    assert!(given.step(i64::MAX).await);
    let before = given.ended().await;
    assert!(!before.0.is_terminal() && before.1.in_flight() > 0, "it is in the middle: {before:?}");
    given.change(&operations(), &id("operation"), Event::Cancel { processing: OnProcessing::Request }).await;
    let (state, progress) = given.ended().await;
    assert_eq!((state, progress.counts), (State::Cancelled, before.1.counts));
    assert!(!given.step(i64::MAX).await, "nobody takes it up again");
    let changed = given.jobs().await.values().filter(|job| job.priority == 7).count() as u64;
    assert_eq!(changed, progress.counts.done);
}

/// Both have stored the same page before either sends a change.
#[tokio::test]
async fn of_two_with_the_same_filter_each_job_is_changed_by_one_and_skipped_by_the_other() {
    let given = Given::new();
    given.put_failed(20).await;
    let before = given.jobs().await;
    let spec = given.spec(Action::REDRIVE, &[Standing::Failed]).await;
    for name in ["operation", "other"] {
        given.begin_as(name, &spec).await;
    }
    let held = given.claim(&operations(), 2).await;
    let [first, second] = [&held[0], &held[1]];
    let run = async |held: &ClaimedJob| {
        let payload = &held.record.body.as_ref().expect("it was read").payload;
        let (meta, unreadable) = (&held.record.meta, &UnreadableWaits::default());
        let job = ReservedJob { meta, payload, token: held.token, unreadable };
        let outcome = handle_reserved(&given.mortal, job).await.expect("memory answers");
        given.settle(held, outcome.event).await;
    };
    tokio::join!(run(first), run(second));
    let of = async |held: &ClaimedJob| given.ended_as(held.record.meta.id.as_str()).await.1.counts;
    assert_eq!([of(first).await, of(second).await], [counts(20, 0, 0), counts(0, 20, 0)]);
    for (name, job) in given.jobs().await {
        assert_eq!((job.state, job.revision), (State::Queued, before[&name].revision + 1), "{name}");
    }
}

#[tokio::test]
async fn a_dry_run_counts_the_jobs_of_its_moment_while_others_come_and_go() {
    let given = Given::new();
    given.put_many(1_200).await;
    for name in given.jobs().await.into_keys() {
        given.change(&tests(), &id(&name), Event::Cancel { processing: OnProcessing::Leave }).await;
    }
    let spec = given.spec(Action::REDRIVE, &[Standing::Cancelled]).await;
    given.mortal.more_come.store(true, Ordering::SeqCst);
    let counted = count_members(&given.mortal, &spec, DRY_RUN_MAX).await.expect("memory lists");
    assert_eq!(counted, 1_200, "those that came while it counted are no members");
    given.mortal.more_come.store(false, Ordering::SeqCst);
    let later = given.spec(Action::REDRIVE, &[Standing::Cancelled]).await;
    let recounted = count_members(&given.mortal, &later, DRY_RUN_MAX).await.expect("memory lists");
    let came = given.jobs().await.len() as u64 - 1_200;
    assert!(came > 0 && recounted == 1_200 + came, "{came} came, {recounted} are counted");
    // Its own counts say what it does, and not the dry run before it.
    given.begin(&later).await;
    given.change(&tests(), &id("many-3"), Event::SetRetention(Retention::Forever)).await;
    given.change(&tests(), &id("many-4"), Event::Delete).await;
    assert_eq!(given.run().await.1.counts.met(), recounted - 1);
}

/// The first page is stored, and its holder dies before it sends a change. Another operation then
/// deletes a job of the page, and a job that a producer enqueues again under its id is another.
#[tokio::test]
async fn one_that_is_taken_over_counts_jobs_that_another_deleted_as_gone() {
    let given = Given::new();
    given.put_failed(20).await;
    let ids: Vec<_> = given.jobs().await.into_keys().collect();
    let spec = given.spec(Action::REDRIVE, &[Standing::Failed]).await;
    given.begin(&spec).await;
    given.step(3).await;
    for name in &ids[..3] {
        given.change(&tests(), &id(name), Event::Delete).await;
    }
    given.put(job(&ids[0], 0)).await;
    let (state, progress) = given.run().await;
    let expected = OperationCounts { done: 17, gone: 3, ..OperationCounts::default() };
    assert_eq!((state, progress.counts), (State::Completed, expected));
}
