//! The default of a fused verb.

use crate::tiny_store::{TinyStore, request};
use queue_core::{
    Certainty, LeaseToken, State, Storage,
    lifecycle::{Event, Policy, Transition, decide},
};
use std::sync::atomic::Ordering;

async fn claimed_and_released(store: &TinyStore) -> Transition {
    let job = store.claim(request(1, 1)).await.expect("it is open").jobs.remove(0).record.meta;
    let token = LeaseToken::from_bytes([1; 16]);
    decide(&job, Event::Release { token }, &Policy::default()).expect("the job is held")
}

#[tokio::test]
async fn what_is_settled_can_be_claimed_in_the_same_call() {
    let store = TinyStore::with(&["a"]);
    let release = claimed_and_released(&store).await;
    let (applied, claimed) = store.exchange(vec![release], request(1, 2)).await.unwrap();
    assert!(applied.value[0].is_done());
    assert_eq!(claimed.jobs[0].record.meta.epoch, 2);
}

#[tokio::test]
async fn a_claim_that_fails_after_the_settles_leaves_it_open_whether_they_happened() {
    let store = TinyStore::with(&["a"]);
    let release = claimed_and_released(&store).await;
    store.claims_fail.store(true, Ordering::SeqCst);
    let error = store.exchange(vec![release], request(1, 2)).await.unwrap_err();
    assert_eq!(error.certainty(), Certainty::Unknown);
    assert_eq!(store.meta("a").state, State::Queued, "they did");
}
