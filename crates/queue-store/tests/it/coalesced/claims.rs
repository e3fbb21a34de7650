//! Merged claims: what reaches the store, how the jobs are shared, and where the share of a caller
//! goes that has left.

use crate::coalesced::{
    recorder::{Call, Recorder, Script},
    setup::{Tasks, coalesced, every_task_rests},
};
use futures_util::{FutureExt, future::BoxFuture};
use queue_core::{
    ClaimRequest, Claimed, Error, ErrorKind, Limits, QueueName, Result, SeededRng, Span, WorkerId,
};
use queue_store::Coalesced;
use std::sync::Arc;

type Waiting<'a> = BoxFuture<'a, Result<Claimed>>;

fn request(queue: &'static str, worker: &'static str, limit: usize) -> ClaimRequest {
    let (queue, worker) = (QueueName::from_static(queue), WorkerId::from_static(worker));
    ClaimRequest::new(queue, worker, limit, Span::from_secs(30), &SeededRng::new(1))
}

/// Polls a claim once: it is then under way, or waits in its lane.
fn begin<'a>(
    store: &'a Coalesced<Recorder>,
    queue: &'static str,
    worker: &'static str,
    limit: usize,
) -> Waiting<'a> {
    let mut claim = store.claim(request(queue, worker, limit)).boxed();
    assert!((&mut claim).now_or_never().is_none(), "the gate is shut");
    claim
}

fn call(workers: &[&str]) -> Call {
    Call::Claim(workers.iter().map(ToString::to_string).collect())
}

fn ids(claimed: &Claimed) -> Vec<&str> {
    claimed.jobs.iter().map(|job| job.record.meta.id.as_str()).collect()
}

#[tokio::test]
async fn claims_that_come_meanwhile_go_next_in_one_call_and_each_gets_its_own() {
    let (recorder, store) = coalesced(Limits::default());
    let first = begin(&store, "q", "a", 1);
    let waiting = [("b", 2), ("c", 1), ("d", 3)].map(|(worker, limit)| begin(&store, "q", worker, limit));
    recorder.open();
    assert_eq!(ids(&first.await.unwrap()), ["a-0"]);
    let expected: [&[&str]; 3] = [&["b-0", "b-1"], &["c-0"], &["d-0", "d-1", "d-2"]];
    for (claim, expected) in waiting.into_iter().zip(expected) {
        assert_eq!(ids(&claim.await.unwrap()), expected);
    }
    assert_eq!(recorder.calls(), [call(&["a"]), call(&["b", "c", "d"])]);
}

#[tokio::test]
async fn a_claim_that_finds_none_under_way_needs_no_task() {
    let recorder = Recorder::gated(Limits::default());
    let tasks = Tasks::default();
    let store = Coalesced::new(Arc::new(recorder.clone()), tasks.clone());
    recorder.open();
    for _ in 0..3 {
        let answer = store.claim(request("q", "a", 1)).now_or_never().expect("its caller drives it");
        assert_eq!(answer.unwrap().jobs.len(), 1);
    }
    assert_eq!(tasks.take().len(), 0);
}

#[tokio::test]
async fn claims_of_different_queues_do_not_wait_for_each_other() {
    let (recorder, store) = coalesced(Limits::default());
    let _one = begin(&store, "one", "a", 1);
    let _two = begin(&store, "two", "b", 1);
    assert_eq!(recorder.calls(), [call(&["a"]), call(&["b"])]);
}

#[tokio::test]
async fn claims_go_side_by_side_as_many_as_the_store_wants_and_the_rest_waits_where_the_line_is_short() {
    let recorder = Recorder::gated_beside(Limits::default(), 2);
    let tasks = Tasks::default();
    let store = Coalesced::new(Arc::new(recorder.clone()), tasks.clone());
    let beside = ["a", "b"].map(|worker| begin(&store, "q", worker, 1));
    assert_eq!(tasks.take().len(), 0, "their callers drive them");
    let waiting = ["c", "d", "e"].map(|worker| begin(&store, "q", worker, 1));
    let other = begin(&store, "other", "f", 1);
    assert_eq!(recorder.calls(), [call(&["a"]), call(&["b"]), call(&["f"])]);
    recorder.open();
    for claim in beside.into_iter().chain([other]).chain(waiting) {
        assert_eq!(claim.await.unwrap().jobs.len(), 1);
    }
    assert_eq!(recorder.calls()[3..], [call(&["c", "e"]), call(&["d"])]);
    // Both lines are empty again.
    assert_eq!(store.claim(request("q", "g", 1)).await.unwrap().jobs.len(), 1);
}

#[tokio::test]
async fn a_caller_that_is_gone_before_its_claim_is_sent_leases_nothing() {
    let (recorder, store) = coalesced(Limits::default());
    let first = begin(&store, "q", "a", 1);
    let (gone, stays) = (begin(&store, "q", "b", 1), begin(&store, "q", "c", 1));
    drop(gone);
    recorder.open();
    first.await.unwrap();
    assert_eq!(ids(&stays.await.unwrap()), ["c-0"]);
    assert_eq!(recorder.calls(), [call(&["a"]), call(&["c"])]);
}

#[tokio::test]
async fn the_share_of_a_caller_that_goes_while_its_claim_is_under_way_is_given_back() {
    let (recorder, store) = coalesced(Limits::default());
    let first = begin(&store, "q", "a", 2);
    let stays = begin(&store, "q", "b", 1);
    drop(first);
    every_task_rests().await;
    recorder.open();
    assert_eq!(ids(&stays.await.unwrap()), ["b-0"]);
    store.rest().await;
    let settle = Call::Settle(vec!["a-0".to_owned(), "a-1".to_owned()]);
    assert!(recorder.calls().contains(&settle), "{:?}", recorder.calls());
    assert!(recorder.calls().contains(&call(&["b"])), "{:?}", recorder.calls());
}

#[tokio::test]
async fn the_share_of_a_caller_that_goes_from_a_merged_call_is_given_back_and_no_other() {
    for looks_away in [false, true] {
        let (recorder, store) = coalesced(Limits::default());
        let first = begin(&store, "q", "a", 1);
        let (gone, stays) = (begin(&store, "q", "b", 1), begin(&store, "q", "c", 1));
        recorder.open_once();
        first.await.unwrap();
        recorder.entered().await;
        recorder.entered().await;
        if looks_away {
            recorder.open();
            every_task_rests().await;
        }
        drop(gone);
        recorder.open();
        assert_eq!(ids(&stays.await.unwrap()), ["c-0"]);
        every_task_rests().await;
        store.rest().await;
        let settles: Vec<_> =
            recorder.calls().into_iter().filter(|call| matches!(call, Call::Settle(_))).collect();
        assert_eq!(settles, [Call::Settle(vec!["b-0".to_owned()])], "answered before it went: {looks_away}");
    }
}

#[tokio::test]
async fn a_claim_over_the_limit_never_joins() {
    let (recorder, store) = coalesced(Limits { batch_max: 4, ..Limits::default() });
    let refused = store.claim(request("q", "a", 5)).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Invalid);
    assert_eq!(recorder.calls(), []);
}

#[tokio::test]
async fn a_call_takes_no_more_than_a_batch_and_the_rest_goes_next() {
    let (recorder, store) = coalesced(Limits { batch_max: 4, ..Limits::default() });
    let first = begin(&store, "q", "a", 1);
    let waiting =
        [("b", 2), ("c", 2), ("d", 1), ("e", 4)].map(|(worker, limit)| begin(&store, "q", worker, limit));
    recorder.open();
    first.await.unwrap();
    for claim in waiting {
        claim.await.unwrap();
    }
    assert_eq!(recorder.calls(), [call(&["a"]), call(&["b", "c"]), call(&["d"]), call(&["e"])]);
}

#[tokio::test]
async fn what_a_call_has_no_room_for_goes_with_the_next_one() {
    let (recorder, store) = coalesced(Limits::default());
    recorder.script(Script { answers_missing: 1, ..Script::default() });
    let first = begin(&store, "q", "a", 1);
    let waiting = ["b", "c", "d"].map(|worker| begin(&store, "q", worker, 1));
    recorder.open();
    // A single claim is always answered.
    first.await.unwrap();
    for claim in waiting {
        assert_eq!(claim.await.unwrap().jobs.len(), 1);
    }
    assert_eq!(recorder.calls(), [call(&["a"]), call(&["b", "c", "d"]), call(&["d"])]);
}

#[tokio::test]
async fn a_call_of_unknown_outcome_is_unknown_to_all_and_sent_once() {
    let (recorder, store) = coalesced(Limits::default());
    let lost = Error::new(ErrorKind::Unavailable, "claim", "the connection broke").unknown();
    recorder.script(Script { error: Some(lost.clone()), ..Script::default() });
    let first = begin(&store, "q", "a", 1);
    let waiting = ["b", "c"].map(|worker| begin(&store, "q", worker, 1));
    recorder.open();
    for claim in [first].into_iter().chain(waiting) {
        let error = claim.await.unwrap_err();
        assert_eq!((error.kind(), error.certainty()), (lost.kind(), lost.certainty()));
    }
    assert_eq!(recorder.calls(), [call(&["a"]), call(&["b", "c"])]);
}

#[tokio::test]
async fn a_call_that_is_refused_is_sent_again_claim_by_claim() {
    let (recorder, store) = coalesced(Limits::default());
    recorder.script(Script { refused_id: Some("bad"), ..Script::default() });
    let first = begin(&store, "q", "a", 1);
    let (bad, good) = (begin(&store, "q", "bad", 1), begin(&store, "q", "good", 1));
    recorder.open();
    first.await.unwrap();
    assert_eq!(bad.await.unwrap_err().kind(), ErrorKind::Invalid);
    assert_eq!(ids(&good.await.unwrap()), ["good-0"]);
    assert_eq!(recorder.calls(), [call(&["a"]), call(&["bad", "good"]), call(&["bad"]), call(&["good"])]);
}
