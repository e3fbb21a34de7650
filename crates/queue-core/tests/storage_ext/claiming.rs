//! Rescue, and claims of programs without a worker.

use crate::tiny_store::{TinyStore, queue, request};
use queue_core::{
    ListQuery, SeededRng, State, Storage, StorageExt,
    lifecycle::{Event, Policy, decide},
};
use std::{sync::atomic::Ordering, time::Duration};

#[tokio::test]
async fn a_rescue_ends_lapsed_leases_and_no_live_one() {
    let store = TinyStore::with(&["a", "b"]);
    store.claim(request(1, 1)).await.unwrap();
    store.clock.advance(Duration::from_secs(1));
    store.claim(request(1, 2)).await.unwrap();
    store.clock.advance(Duration::from_secs(29));
    let rescued = store.rescue(&queue(), 10, &Policy::default()).await.unwrap();
    assert_eq!(rescued, [store.meta("a")]);
    assert_eq!((store.meta("a").state, store.meta("a").stalls), (State::Failing, 1));
    assert_eq!((store.meta("b").state, store.meta("b").stalls), (State::Processing, 0));
}

#[tokio::test]
async fn a_rescue_takes_no_more_than_it_was_asked_for() {
    let store = TinyStore::with(&["a", "b", "c"]);
    store.claim(request(3, 1)).await.unwrap();
    store.lapse();
    let policy = Policy::default();
    assert_eq!(store.rescue(&queue(), 2, &policy).await.unwrap().len(), 2);
    assert_eq!(store.rescue(&queue(), 2, &policy).await.unwrap().len(), 1);
    assert_eq!(store.rescue(&queue(), 2, &policy).await.unwrap().len(), 0);
    assert_eq!(store.applies.load(Ordering::SeqCst), 2, "the last one found nothing to apply");
}

#[tokio::test]
async fn rescuers_that_saw_the_same_lapse_charge_it_once() {
    let store = TinyStore::with(&["a"]);
    store.claim(request(1, 1)).await.unwrap();
    store.lapse();
    let policy = Policy::default();
    let seen = store.list(ListQuery::lapsed(queue(), 10)).await.unwrap().jobs.remove(0);
    let rival = decide(&seen, Event::Lapse, &policy).unwrap();
    assert_eq!(store.rescue(&queue(), 10, &policy).await.unwrap().len(), 1);
    assert!(!store.apply(vec![rival]).await.unwrap().value[0].is_done());
    assert_eq!(store.meta("a").stalls, 1);
}

#[tokio::test]
async fn a_lease_that_was_extended_after_it_was_listed_is_not_answered_as_rescued() {
    let store = TinyStore::with(&["a"]);
    store.claim(request(1, 1)).await.unwrap();
    store.lapse();
    store.meddle(1, |job| job.meta.revision += 1);
    assert_eq!(store.rescue(&queue(), 10, &Policy::default()).await.unwrap(), []);
    assert_eq!(store.meta("a").state, State::Processing);
}

#[tokio::test]
async fn a_claim_that_finds_a_lapsed_lease_alone_rescues_it_and_gets_the_job() {
    let store = TinyStore::with(&["a"]);
    store.claim(request(1, 1)).await.unwrap();
    store.lapse();
    let claimed = store.claim_or_rescue(request(1, 2), &Policy::default(), &SeededRng::new(9)).await.unwrap();
    assert_eq!(claimed.jobs[0].record.meta, store.meta("a"));
    assert_eq!((store.meta("a").stalls, store.meta("a").epoch), (1, 2));
}

#[tokio::test]
async fn a_claim_that_finds_a_job_rescues_nothing() {
    let store = TinyStore::with(&["a", "b"]);
    store.claim(request(1, 1)).await.unwrap();
    store.lapse();
    let claimed = store.claim_or_rescue(request(1, 2), &Policy::default(), &SeededRng::new(9)).await.unwrap();
    assert_eq!(claimed.jobs[0].record.meta.id, store.meta("b").id);
    assert_eq!(store.meta("a").stalls, 0);
}

#[tokio::test]
async fn a_claim_rescues_nothing_while_leases_live_or_the_queue_rests_or_nothing_is_wanted() {
    let store = TinyStore::with(&["a"]);
    store.claim(request(1, 1)).await.unwrap();
    let policy = Policy::default();
    store.clock.advance(Duration::from_millis(29_999));
    store.claim_or_rescue(request(1, 2), &policy, &SeededRng::new(9)).await.unwrap();
    store.clock.advance(Duration::from_millis(1));
    store.claim_or_rescue(request(0, 3), &policy, &SeededRng::new(9)).await.unwrap();
    store.paused.store(true, Ordering::SeqCst);
    let paused = store.claim_or_rescue(request(1, 4), &policy, &SeededRng::new(9)).await.unwrap();
    assert!(paused.pause.is_on());
    assert_eq!((store.meta("a").stalls, store.applies.load(Ordering::SeqCst)), (0, 0));
    assert_eq!(store.claims.load(Ordering::SeqCst), 4, "none of them claimed twice");
}
