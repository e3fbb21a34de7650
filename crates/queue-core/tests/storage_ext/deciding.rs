//! Deciding again while the record changes.

use crate::tiny_store::{TinyStore, id, queue, request};
use queue_core::{
    Changed, ContentType, ErrorKind, LIVES_MAX, LeaseToken, Payload, RE_DECIDES_MAX, Retention, Seq, Span,
    State, Storage, StorageExt,
    lifecycle::{Amendment, Event, OnProcessing, Policy, Rejected, TrackedJob},
};
use std::{sync::atomic::Ordering, time::Duration};

const MINE: LeaseToken = LeaseToken::from_bytes([1; 16]);

/// A cancel mark that comes and goes, so that the record never stays as it was seen.
fn toggle_cancel(job: &mut TrackedJob) {
    job.meta.cancel_requested = !job.meta.cancel_requested;
    job.meta.revision += 1;
}

fn touch(job: &mut TrackedJob) {
    job.meta.revision += 1;
}

/// A producer that replaces the job, which waits before and after.
fn replace(job: &mut TrackedJob) {
    job.meta.seq = Seq::new(job.meta.seq.get() + 1);
    job.meta.revision = 1;
}

fn lose_lease(job: &mut TrackedJob) {
    job.token = Some(LeaseToken::from_bytes([9; 16]));
}

fn remove_everything(retention: Retention) -> Event {
    let result = Payload::new("1", ContentType::from_static("text/plain"));
    Event::Complete { token: MINE, result, retention: Some(retention), then: Vec::new() }
}

#[tokio::test]
async fn a_settle_decides_again_on_what_it_finds() {
    let store = TinyStore::with(&["a"]);
    let job = store.claim(request(1, 1)).await.unwrap().jobs.remove(0).record.meta;
    store.meddle(1, toggle_cancel);
    let changed = store.settle(&job, Event::release(MINE), &Policy::default()).await.unwrap();
    let Changed::Done(meta) = changed else { panic!("{changed:?}") };
    assert_eq!(meta.state, State::Cancelled, "the request came before the release arrived");
    assert_eq!(store.applies.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_settle_succeeds_with_its_last_decision() {
    let store = TinyStore::with(&["a"]);
    let job = store.claim(request(1, 1)).await.unwrap().jobs.remove(0).record.meta;
    store.meddle(RE_DECIDES_MAX - 1, toggle_cancel);
    let changed = store.settle(&job, Event::release(MINE), &Policy::default()).await.unwrap();
    assert!(matches!(changed, Changed::Done(_)), "{changed:?}");
    assert_eq!(store.applies.load(Ordering::SeqCst), RE_DECIDES_MAX);
}

#[tokio::test]
async fn a_settle_of_a_record_that_never_rests_ends_in_conflict() {
    let store = TinyStore::with(&["a"]);
    let job = store.claim(request(1, 1)).await.unwrap().jobs.remove(0).record.meta;
    store.meddle(usize::MAX, toggle_cancel);
    let error = store.settle(&job, Event::release(MINE), &Policy::default()).await.unwrap_err();
    assert_eq!((error.kind(), error.operation()), (ErrorKind::Conflict, "settle"));
    assert_eq!(store.applies.load(Ordering::SeqCst), RE_DECIDES_MAX);
    assert_eq!(store.meta("a").state, State::Processing, "nothing was settled");
}

#[tokio::test]
async fn a_lost_lease_is_final() {
    let store = TinyStore::with(&["a"]);
    let job = store.claim(request(1, 1)).await.unwrap().jobs.remove(0).record.meta;
    store.meddle(1, lose_lease);
    let changed = store.settle(&job, Event::release(MINE), &Policy::default()).await.unwrap();
    assert!(matches!(changed, Changed::LeaseLost(_)), "{changed:?}");
    assert_eq!(store.applies.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_settle_whose_record_is_gone_says_missing() {
    let store = TinyStore::with(&["a"]);
    let job = store.claim(request(1, 1)).await.unwrap().jobs.remove(0).record.meta;
    let complete = remove_everything(Retention::Remove);
    let policy = Policy::default();
    let first = store.settle(&job, complete.clone(), &policy).await.unwrap();
    assert!(matches!(first, Changed::Done(_)), "{first:?}");
    assert_eq!(store.settle(&job, complete, &policy).await.unwrap(), Changed::Missing);
}

#[tokio::test]
async fn a_change_reads_the_job_and_decides_again_while_it_moves() {
    let store = TinyStore::with(&["a"]);
    store.meddle(3, touch);
    let event = Event::Cancel { processing: OnProcessing::Leave };
    let changed = store.change(&queue(), &id("a"), event, &Policy::default()).await.unwrap();
    let Changed::Done(meta) = changed else { panic!("{changed:?}") };
    assert_eq!(meta.state, State::Cancelled);
    assert_eq!(store.applies.load(Ordering::SeqCst), 4);
}

#[tokio::test]
async fn a_change_that_never_finds_rest_names_itself_in_the_conflict() {
    let store = TinyStore::with(&["a"]);
    store.meddle(usize::MAX, touch);
    let error = store.change(&queue(), &id("a"), Event::Await, &Policy::default()).await.unwrap_err();
    assert_eq!((error.kind(), error.operation()), (ErrorKind::Conflict, "change"));
    assert_eq!(store.applies.load(Ordering::SeqCst), RE_DECIDES_MAX);
}

#[tokio::test]
async fn a_change_of_a_missing_job_says_so_and_sends_nothing() {
    let store = TinyStore::with(&["a"]);
    let changed = store.change(&queue(), &id("b"), Event::Delete, &Policy::default()).await.unwrap();
    assert_eq!(changed, Changed::Missing);
    assert_eq!(store.applies.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_change_that_leads_nowhere_is_answered_with_the_state() {
    let store = TinyStore::with(&["a"]);
    let changed = store
        .change(&queue(), &id("a"), Event::Redrive { content_type: None }, &Policy::default())
        .await
        .unwrap();
    assert_eq!(changed, Changed::Rejected(Rejected::NotAllowed(State::Queued)));
    assert_eq!(store.applies.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_change_beside_a_replacement_changes_the_job_that_waits_now() {
    for event in [
        Event::Cancel { processing: OnProcessing::Leave },
        Event::Promote,
        Event::Reschedule { delay: Span::from_secs(1) },
        Event::Amend(Amendment::of_priority(7)),
        Event::Delete,
    ] {
        let store = TinyStore::with(&["a"]);
        store.clock.advance(Duration::from_secs(1));
        store.meddle(3, replace);
        let changed = store.change(&queue(), &id("a"), event.clone(), &Policy::default()).await.unwrap();
        let Changed::Done(meta) = changed else { panic!("{event:?}: {changed:?}") };
        assert_eq!(meta.seq, Seq::new(4), "{event:?}");
        assert_eq!(store.applies.load(Ordering::SeqCst), 4);
    }
}

#[tokio::test]
async fn a_change_of_a_job_that_is_replaced_all_the_time_says_that_another_try_may_win() {
    let store = TinyStore::with(&["a"]);
    store.meddle(LIVES_MAX - 1, replace);
    let changed = store.change(&queue(), &id("a"), Event::Promote, &Policy::default()).await.unwrap();
    assert!(matches!(changed, Changed::Done(_)), "the last try counts: {changed:?}");
    store.meddle(usize::MAX, replace);
    let error = store.change(&queue(), &id("a"), Event::Delete, &Policy::default()).await.unwrap_err();
    assert_eq!((error.kind(), error.operation()), (ErrorKind::Conflict, "change"));
    assert!(error.is_transient() && error.message().contains("try again"), "{error}");
    assert_eq!(store.applies.load(Ordering::SeqCst), 2 * LIVES_MAX);
    assert_eq!(store.meta("a").state, State::Queued, "nothing was changed");
}

/// A settle is for the life that its caller holds.
#[tokio::test]
async fn a_settle_of_a_life_that_was_replaced_says_missing() {
    let store = TinyStore::with(&["a"]);
    let job = store.claim(request(1, 1)).await.unwrap().jobs.remove(0).record.meta;
    store.meddle(1, replace);
    let changed = store.settle(&job, Event::release(MINE), &Policy::default()).await.unwrap();
    assert_eq!(changed, Changed::Missing);
    assert_eq!(store.applies.load(Ordering::SeqCst), 1);
}
