//! A worker whose lease has ended can change nothing.

use super::cases;
use crate::bench::prelude::*;
use queue_core::{Applied, ClaimedJob, LeaseToken, Retention, Span, State, lifecycle::Event};

cases! { "fencing":
    a_foreign_token_settles_nothing [I4];
    a_token_that_differs_in_one_bit_settles_nothing [I4];
    the_token_of_another_claim_settles_nothing [I4];
    a_token_from_before_a_release_is_dead_within_the_millisecond [I4];
    a_zombie_cannot_settle_what_another_holds [I3 I4];
    a_zombie_cannot_extend_what_another_holds [I3 I4];
    a_zombie_cannot_complete_what_another_completed [I4 I5];
    a_zombie_cannot_fail_what_another_completed [I4 I5 I6];
    a_zombie_cannot_complete_what_another_failed [I4 I6];
    a_rescued_holder_can_settle_nothing [I4 I7];
    a_rescued_holder_cannot_revive_a_job_out_of_stalls [I4 I6];
    a_holder_whose_job_was_redriven_can_settle_nothing [I4];
    a_lost_lease_answers_the_record_as_it_stands [I4];
    the_same_worker_name_is_no_proof [I4];
    a_heartbeat_after_a_settle_is_lost [I4];
    a_heartbeat_with_a_foreign_token_is_lost [I4];
    claims_released_a_hundred_times_leave_a_hundred_dead_tokens [I4];
    a_read_never_shows_a_token [I4];
}

/// Tries every settle and a heartbeat with a token; the record must stay the same, and each answer
/// must say that the lease is lost.
async fn assert_powerless(bench: &Bench, seen: &ClaimedJob, token: LeaseToken) {
    let text = seen.record.meta.id.as_str();
    let before = bench.record(text).await;
    for event in SETTLES.map(|settle| settle(token)).into_iter().chain([extend(token, KEPT)]) {
        let answer = bench.apply(decided(&seen.record.meta, event.clone())).await;
        assert_eq!(answer, Applied::LeaseLost(before.meta.clone()), "{event:?}");
    }
    assert_eq!(bench.record(text).await, before);
}

/// Claims a job, lets the lease lapse, and lets another worker claim it.
async fn zombie_and_heir(bench: &Bench) -> (ClaimedJob, ClaimedJob) {
    let zombie = bench.put_and_claim("a").await;
    bench.advance(LEASE);
    bench.rescue().await;
    let heir = bench.send(bench.request_of("worker-2", 1, LEASE)).await.jobs.remove(0);
    (zombie, heir)
}

async fn a_foreign_token_settles_nothing(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    let foreign = bench.request(1).token;
    assert_powerless(bench, &held, foreign).await;
    assert_powerless(bench, &held, LeaseToken::from_bytes([0; 16])).await;
}

/// Every bit of a token is compared.
async fn a_token_that_differs_in_one_bit_settles_nothing(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    for bit in [0, 7, 63, 64, 127] {
        let mut bytes = *held.token.as_bytes();
        bytes[bit / 8] ^= 1 << (bit % 8);
        assert_powerless(bench, &held, LeaseToken::from_bytes(bytes)).await;
    }
}

/// A worker's own token for another job is foreign here.
async fn the_token_of_another_claim_settles_nothing(bench: &Bench) {
    bench.put_many(2).await;
    let (one, two) = (bench.claim_one().await, bench.claim_one().await);
    assert_powerless(bench, &one, two.token).await;
    assert_powerless(bench, &two, one.token).await;
}

/// The job is claimed, released and claimed again while the clock stands still.
async fn a_token_from_before_a_release_is_dead_within_the_millisecond(bench: &Bench) {
    let first = bench.put_and_claim("a").await;
    bench.release(&first).await;
    let second = bench.claim_one().await;
    assert_powerless(bench, &first, first.token).await;
    assert_powerless(bench, &second, first.token).await;
    assert_eq!(bench.complete(&second).await.state, State::Completed);
}

/// The lease has lapsed, was rescued, and another worker has claimed the job.
async fn a_zombie_cannot_settle_what_another_holds(bench: &Bench) {
    let (zombie, heir) = zombie_and_heir(bench).await;
    assert_powerless(bench, &zombie, zombie.token).await;
    assert_eq!(bench.complete(&heir).await.state, State::Completed);
}

/// The zombie cannot extend the heir's lease either.
async fn a_zombie_cannot_extend_what_another_holds(bench: &Bench) {
    let (zombie, _) = zombie_and_heir(bench).await;
    let ends = bench.meta("a").await.lease;
    let beat = bench.apply(decided(&zombie.record.meta, extend(zombie.token, KEPT))).await;
    assert!(matches!(beat, Applied::LeaseLost(_)));
    assert_eq!(bench.meta("a").await.lease, ends);
}

/// The heir's result stands.
async fn a_zombie_cannot_complete_what_another_completed(bench: &Bench) {
    let (zombie, heir) = zombie_and_heir(bench).await;
    bench.settled(&heir, complete_with(heir.token, text_payload("the heir's"))).await;
    assert_powerless(bench, &zombie, zombie.token).await;
    assert_eq!(bench.result("a").await.as_deref(), Some("the heir's"));
}

async fn a_zombie_cannot_fail_what_another_completed(bench: &Bench) {
    let (zombie, heir) = zombie_and_heir(bench).await;
    bench.complete(&heir).await;
    let late = bench.apply(decided(&zombie.record.meta, fail(zombie.token))).await;
    assert!(matches!(late, Applied::LeaseLost(meta) if meta.state == State::Completed));
    assert_eq!(bench.meta("a").await.failures, 0);
}

async fn a_zombie_cannot_complete_what_another_failed(bench: &Bench) {
    let (zombie, heir) = zombie_and_heir(bench).await;
    bench.fail_terminally(&heir).await;
    assert_powerless(bench, &zombie, zombie.token).await;
    assert_eq!(bench.state("a").await, Some(State::Failed));
}

/// This holds even while no other worker has claimed the job.
async fn a_rescued_holder_can_settle_nothing(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    bench.advance(LEASE);
    bench.rescue().await;
    assert_powerless(bench, &held, held.token).await;
}

/// The reason stands.
async fn a_rescued_holder_cannot_revive_a_job_out_of_stalls(bench: &Bench) {
    bench.put_job(job("a").with_max_stalls(queue_core::Budget::from_raw(1))).await;
    let held = bench.claim_one().await;
    bench.advance(LEASE);
    bench.rescue().await;
    assert_eq!(bench.state("a").await, Some(State::Failed));
    assert_powerless(bench, &held, held.token).await;
}

/// A redrive gives a fresh start to all but the old holder.
async fn a_holder_whose_job_was_redriven_can_settle_nothing(bench: &Bench) {
    bench.put_job(job("a").with_max_stalls(queue_core::Budget::from_raw(1))).await;
    let held = bench.claim_one().await;
    bench.advance(LEASE);
    bench.rescue().await;
    bench.changed("a", Event::Redrive { content_type: None }).await;
    assert_powerless(bench, &held, held.token).await;
    let again = bench.claim_one().await;
    assert_powerless(bench, &held, held.token).await;
    bench.complete(&again).await;
}

/// The worker can report who holds the job now.
async fn a_lost_lease_answers_the_record_as_it_stands(bench: &Bench) {
    let (zombie, heir) = zombie_and_heir(bench).await;
    match bench.apply(decided(&zombie.record.meta, complete(zombie.token))).await {
        Applied::LeaseLost(meta) => assert_eq!(meta, heir.record.meta),
        other => panic!("{other:?}"),
    }
}

/// Two processes may have the same name.
async fn the_same_worker_name_is_no_proof(bench: &Bench) {
    let first = bench.put_and_claim("a").await;
    bench.advance(LEASE);
    bench.rescue().await;
    let second = bench.claim_one().await;
    assert_eq!(
        first.record.meta.lease.as_ref().map(|l| &l.worker),
        second.record.meta.lease.as_ref().map(|l| &l.worker)
    );
    assert_powerless(bench, &first, first.token).await;
}

async fn a_heartbeat_after_a_settle_is_lost(bench: &Bench) {
    for (n, settle) in SETTLES.into_iter().enumerate() {
        let text = nth(n).to_string();
        let held = bench.put_and_claim(&text).await;
        let settled = bench.settled(&held, settle(held.token)).await;
        let beat = bench.apply(decided(&held.record.meta, extend(held.token, KEPT))).await;
        assert_eq!(beat, Applied::LeaseLost(settled));
        bench.changed(&text, Event::Delete).await;
    }
}

async fn a_heartbeat_with_a_foreign_token_is_lost(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    let foreign = bench.request(1).token;
    let beat = bench.apply(decided(&held.record.meta, extend(foreign, KEPT))).await;
    assert_eq!(beat, Applied::LeaseLost(held.record.meta));
}

/// None of the old tokens is valid again.
async fn claims_released_a_hundred_times_leave_a_hundred_dead_tokens(bench: &Bench) {
    bench.put_job(job("a").with_retention(Retention::Forever)).await;
    let mut dead = Vec::new();
    for _ in 0..100 {
        let held = bench.claim_one().await;
        bench.release(&held).await;
        dead.push(held);
    }
    let live = bench.claim_for(Span::MAX).await;
    let batch = dead.iter().map(|held| decided(&held.record.meta, complete(held.token))).collect();
    for answer in bench.apply_all(batch).await {
        assert_eq!(answer, Applied::LeaseLost(live.record.meta.clone()));
    }
}

/// The type of an answer has no field for a token, and no text in it is one.
async fn a_read_never_shows_a_token(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    let shown = format!("{:?}", bench.record("a").await).to_lowercase();
    let hex = format!("{:032x}", u128::from_be_bytes(*held.token.as_bytes()));
    assert!(!shown.contains(&hex) && !shown.contains(&format!("{:?}", held.token.as_bytes())), "{shown}");
}
