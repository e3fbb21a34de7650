//! A life is a new beginning: no event aimed at an old one affects it.

use super::cases;
use crate::bench::prelude::*;
use queue_core::{
    Applied, OnFailed, Prune, Retention, Seq, Span, State,
    lifecycle::{Event, OnProcessing},
};

cases! { "lives":
    numbers_are_never_used_twice [I9];
    numbers_are_unique_across_queues [I9];
    a_new_life_has_nothing_of_the_old_one [I9 I13];
    a_settle_of_an_old_life_is_missing [I4 I5];
    a_settle_of_a_purged_life_is_missing_even_before_a_new_one [I5];
    a_heartbeat_of_an_old_life_is_missing [I4];
    a_cancel_decided_on_an_old_life_is_missing [I10];
    a_rescue_decided_on_an_old_life_is_missing [I7];
    a_redrive_decided_on_an_old_life_is_missing [I6];
    a_delete_decided_on_an_old_life_is_missing [I1];
    a_replay_for_an_old_life_is_missing [I5];
    the_holder_of_an_old_life_cannot_touch_a_running_new_one [I3 I4];
    epochs_begin_anew_and_order_with_the_life [I4];
}

/// The id becomes free in every possible way; each life has a larger number.
async fn numbers_are_never_used_twice(bench: &Bench) {
    let mut seqs: Vec<Seq> = Vec::new();
    seqs.push(bench.put("a").await);
    bench.cancel("a").await;
    seqs.push(bench.put("a").await);
    bench.changed("a", Event::Delete).await;
    seqs.push(bench.put("a").await);
    bench.fail_terminally(&bench.claim_one().await).await;
    seqs.push(bench.put_job(job("a").with_on_failed(OnFailed::Replace)).await);
    bench.complete(&bench.claim_one().await).await;
    bench.advance(KEPT);
    seqs.push(bench.put("a").await);
    bench.prune(Prune::Everything, 10).await;
    seqs.push(bench.put("a").await);
    assert!(seqs.is_sorted_by(|a, b| a < b), "{seqs:?}");
}

/// A fencing number is unique in the whole store.
async fn numbers_are_unique_across_queues(bench: &Bench) {
    let other = bench.on_queue("other");
    let seqs = [bench.put("a").await, other.put("a").await, bench.put("b").await, other.put("b").await];
    assert!(seqs.is_sorted_by(|a, b| a < b), "{seqs:?}");
}

/// Counters, error, result, progress, flags and times are as after a first enqueue.
async fn a_new_life_has_nothing_of_the_old_one(bench: &Bench) {
    bench.put_job(job("a").awaited()).await;
    let held = bench.claim_one().await;
    let progress = Some(bytes::Bytes::from_static(b"half"));
    bench.settled(&held, Event::Extend { token: held.token, by: LEASE, progress }).await;
    bench.cancel("a").await;
    bench.fail(&held).await;
    assert_eq!(bench.state("a").await, Some(State::Cancelled));
    bench.advance(Span::from_secs(1));
    let seq = bench.put("a").await;
    let fresh = bench.record("a").await;
    assert_eq!(fresh.meta, queue_core::JobMeta::begin(bench.queue().clone(), &job("a"), seq, bench.now()));
    let body = fresh.body.expect("asked for");
    assert_eq!((body.result, body.error_details), (None, None));
}

/// A worker tries every settle after its job was pruned and enqueued again.
async fn a_settle_of_an_old_life_is_missing(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    bench.prune(Prune::Everything, 10).await;
    bench.put("a").await;
    let before = bench.record("a").await;
    for settle in SETTLES {
        assert_eq!(bench.apply(decided(&held.record.meta, settle(held.token))).await, Applied::Missing);
    }
    assert_eq!(bench.record("a").await, before);
}

/// A purged record is absent, whether or not it was pruned.
async fn a_settle_of_a_purged_life_is_missing_even_before_a_new_one(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    bench.complete(&held).await;
    bench.advance(KEPT);
    assert_eq!(bench.apply(decided(&held.record.meta, complete(held.token))).await, Applied::Missing);
}

async fn a_heartbeat_of_an_old_life_is_missing(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    bench.prune(Prune::Everything, 10).await;
    bench.put_and_claim("a").await;
    let beat = decided(&held.record.meta, extend(held.token, KEPT));
    assert_eq!(bench.apply(beat).await, Applied::Missing);
}

/// Decides on a life, removes it, begins another in the same state and revision, and applies the
/// decision.
async fn assert_missing_on_the_next_life(bench: &Bench, event: Event) {
    let seen = bench.meta("a").await;
    let transition = decided(&seen, event);
    bench.prune(Prune::Everything, 10).await;
    bench.put("a").await;
    let before = bench.record("a").await;
    assert_eq!(bench.apply(transition).await, Applied::Missing);
    assert_eq!(bench.record("a").await, before);
}

/// The cancel was not meant for the new life.
async fn a_cancel_decided_on_an_old_life_is_missing(bench: &Bench) {
    bench.put("a").await;
    assert_missing_on_the_next_life(bench, Event::Cancel { processing: OnProcessing::Request }).await;
}

/// A stall is charged to the life that stalled.
async fn a_rescue_decided_on_an_old_life_is_missing(bench: &Bench) {
    bench.put_and_claim("a").await;
    bench.advance(LEASE);
    assert_missing_on_the_next_life(bench, Event::Lapse).await;
}

async fn a_redrive_decided_on_an_old_life_is_missing(bench: &Bench) {
    bench.put("a").await;
    bench.cancel("a").await;
    assert_missing_on_the_next_life(bench, Event::Redrive { content_type: None }).await;
}

async fn a_delete_decided_on_an_old_life_is_missing(bench: &Bench) {
    bench.put("a").await;
    assert_missing_on_the_next_life(bench, Event::Delete).await;
}

/// The memory of the settle went with the record.
async fn a_replay_for_an_old_life_is_missing(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    bench.release(&held).await;
    bench.cancel("a").await;
    bench.put("a").await;
    assert_eq!(bench.apply(decided(&held.record.meta, release(held.token))).await, Applied::Missing);
}

/// Two workers hold two lives of one id.
async fn the_holder_of_an_old_life_cannot_touch_a_running_new_one(bench: &Bench) {
    let old = bench.put_and_claim("a").await;
    bench.prune(Prune::Everything, 10).await;
    let new = bench.put_and_claim("a").await;
    assert_eq!(bench.apply(decided(&old.record.meta, complete(old.token))).await, Applied::Missing);
    // Even with the new life's number, the old token is foreign.
    assert!(matches!(
        bench.apply(decided(&new.record.meta, complete(old.token))).await,
        Applied::LeaseLost(_)
    ));
    assert_eq!(bench.complete(&new).await.state, State::Completed);
}

/// `(seq, epoch)` fences outside resources, so it must grow.
async fn epochs_begin_anew_and_order_with_the_life(bench: &Bench) {
    let mut fences = Vec::new();
    for _ in 0..3 {
        bench.put_job(job("a").with_retention(Retention::Remove)).await;
        for _ in 0..3 {
            let held = bench.claim_one().await;
            fences.push((held.record.meta.seq, held.record.meta.epoch));
            bench.release(&held).await;
        }
        bench.complete(&bench.claim_one().await).await;
    }
    assert_eq!(fences.iter().map(|(_, epoch)| *epoch).collect::<Vec<_>>(), [1, 2, 3, 1, 2, 3, 1, 2, 3]);
    assert!(fences.is_sorted_by(|a, b| a < b), "{fences:?}");
}
