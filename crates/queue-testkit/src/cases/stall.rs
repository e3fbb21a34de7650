//! Lapsed leases, and their rescue.

use super::cases;
use crate::bench::prelude::*;
use queue_core::{
    Applied, Budget, ListQuery, Reason, Retention, Span, State, StorageExt, SystemRng,
    lifecycle::{Event, OnProcessing},
};

cases! { "stall":
    a_rescued_job_keeps_its_time_and_is_charged_a_stall [I7 I15];
    a_second_stall_waits_its_turn [I7];
    the_budget_ends_at_exactly_its_limit [I7 I8];
    a_budget_of_one_fails_with_the_first_lapse [I7 I8];
    an_unlimited_budget_never_ends [I7 I15];
    stalls_and_failures_have_budgets_of_their_own [I7];
    a_lease_that_lives_cannot_be_expired [I3];
    a_lapse_is_charged_once [I7];
    a_rescue_that_a_heartbeat_overtook_is_stale [I3 I7];
    a_rescue_decided_before_a_heartbeat_or_a_mark_is_stale [I7 I10 I13];
    a_rescue_that_a_settle_overtook_is_stale [I5 I7];
    rescues_are_bounded_and_go_on [I15 I17];
    the_longest_lapsed_are_rescued_first [I15];
    a_rescue_of_nothing_is_fine [I15];
    a_crashed_worker_loses_nothing [I1 I15];
    a_rescued_job_has_no_lease [I3];
    a_stalled_job_that_keeps_nothing_is_gone [I8];
    claiming_or_rescuing_finds_a_lapsed_job [I15];
    a_rescue_leaves_the_other_queues_alone [I7];
}

/// Lets a lease lapse `times` times.
async fn stall(bench: &Bench, times: usize) -> queue_core::JobMeta {
    let mut last = None;
    for _ in 0..times {
        bench.claim_one().await;
        bench.advance(LEASE);
        last = bench.rescue().await.pop();
        bench.advance(STALL);
    }
    last.expect("at least one stall")
}

/// The job keeps its position at the front.
async fn a_rescued_job_keeps_its_time_and_is_charged_a_stall(bench: &Bench) {
    bench.put("a").await;
    let run_at = bench.meta("a").await.run_at;
    let meta = stall(bench, 1).await;
    assert_eq!((meta.state, meta.stalls, meta.failures, meta.run_at), (State::Failing, 1, 0, run_at));
    assert_eq!(bench.claim_one().await.record.meta.attempt(), 2);
}

/// The job may be what kills its workers.
async fn a_second_stall_waits_its_turn(bench: &Bench) {
    bench.put("a").await;
    stall(bench, 1).await;
    bench.claim_one().await;
    bench.advance(LEASE);
    let meta = bench.rescue().await.remove(0);
    assert_eq!((meta.stalls, meta.run_at), (2, bench.now() + STALL));
    bench.assert_nothing_due().await;
}

/// With one stall less than the budget the job is Failing, at the limit Failed.
async fn the_budget_ends_at_exactly_its_limit(bench: &Bench) {
    for limit in 2..=4 {
        bench.put_job(job(&format!("limit-{limit}")).with_max_stalls(Budget::from_raw(limit))).await;
        assert_eq!(stall(bench, limit as usize - 1).await.state, State::Failing);
        let end = stall(bench, 1).await;
        assert_eq!((end.state, end.stalls, end.reason), (State::Failed, limit, Some(Reason::Stalled)));
    }
    bench.assert_nothing_due().await;
}

/// Such a budget is for jobs that must not run twice before a person has looked.
async fn a_budget_of_one_fails_with_the_first_lapse(bench: &Bench) {
    bench.put_job(job("a").with_max_stalls(Budget::from_raw(1))).await;
    let end = stall(bench, 1).await;
    assert_eq!((end.state, end.reason), (State::Failed, Some(Reason::Stalled)));
    assert_eq!(end.last_error.expect("it says what happened").name(), "Stalled");
}

/// A leader's job comes back as often as necessary.
async fn an_unlimited_budget_never_ends(bench: &Bench) {
    bench.put_job(job("a").with_max_stalls(Budget::Unlimited)).await;
    assert_eq!(stall(bench, 30).await.stalls, 30);
    assert_eq!(bench.claim_ids(1).await, ["a"]);
}

/// Two of each leave one of each.
async fn stalls_and_failures_have_budgets_of_their_own(bench: &Bench) {
    bench.put("a").await;
    for _ in 0..2 {
        stall(bench, 1).await;
        bench.fail(&bench.claim_one().await).await;
        bench.advance(STALL);
    }
    let held = bench.claim_one().await;
    assert_eq!((held.record.meta.stalls, held.record.meta.failures, held.record.meta.attempt()), (2, 2, 5));
    assert_eq!(bench.fail(&held).await.reason, Some(Reason::Exhausted));
}

/// The store refuses even a rescue that was decided so.
async fn a_lease_that_lives_cannot_be_expired(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    bench.advance(Span::from_millis(LEASE.as_millis() - 1));
    let expire = decided(&held.record.meta, Event::Lapse);
    assert_eq!(bench.apply(expire).await, Applied::Stale(held.record.meta.clone()));
    assert_eq!(bench.complete(&held).await.stalls, 0);
}

/// Two workers notice the same lapse.
async fn a_lapse_is_charged_once(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    bench.advance(LEASE);
    let expire = decided(&held.record.meta, Event::Lapse);
    let answers = bench.apply_all(vec![expire.clone(), expire]).await;
    assert_done!(answers[..1]);
    assert!(matches!(&answers[1], Applied::Stale(meta) if meta.stalls == 1), "{answers:?}");
}

/// The holder lives.
async fn a_rescue_that_a_heartbeat_overtook_is_stale(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    let expire = decided(&held.record.meta, Event::Lapse);
    let beat = bench.settled(&held, extend(held.token, KEPT)).await;
    bench.advance(LEASE);
    assert_eq!(bench.apply(expire).await, Applied::Stale(beat));
    bench.complete(&held).await;
}

/// The lease has lapsed by now, but the rescue would overlook what happened to the job since.
async fn a_rescue_decided_before_a_heartbeat_or_a_mark_is_stale(bench: &Bench) {
    for text in ["beat", "cancelled", "awaited"] {
        let held = bench.put_and_claim(text).await;
        let expire = decided(&held.record.meta, Event::Lapse);
        let event = match text {
            "beat" => extend(held.token, LEASE),
            "cancelled" => Event::Cancel { processing: OnProcessing::Request },
            _ => Event::Await,
        };
        let moved = bench.settled(&held, event).await;
        bench.advance(LEASE);
        assert_eq!(bench.apply(expire).await, Applied::Stale(moved));
    }
}

/// The work was done after all.
async fn a_rescue_that_a_settle_overtook_is_stale(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    bench.advance(LEASE);
    let expire = decided(&held.record.meta, Event::Lapse);
    let completed = bench.complete(&held).await;
    assert_eq!(bench.apply(expire).await, Applied::Stale(completed));
}

/// Each call rescues a part, and no job twice.
async fn rescues_are_bounded_and_go_on(bench: &Bench) {
    bench.put_many(25).await;
    bench.claim(25).await;
    bench.advance(LEASE);
    let mut rescued = Vec::new();
    for expected in [10, 10, 5, 0] {
        let batch = bench.store().rescue(bench.queue(), 10, &policy()).await.expect("it answers");
        assert_eq!(batch.len(), expected);
        rescued.extend(batch);
    }
    assert!(rescued.iter().all(|meta| meta.stalls == 1), "each lapse is charged once: {rescued:?}");
}

/// Those jobs have waited longest.
async fn the_longest_lapsed_are_rescued_first(bench: &Bench) {
    for (text, secs) in [("a", 3), ("b", 1), ("c", 2)] {
        bench.put(text).await;
        bench.claim_for(Span::from_secs(secs)).await;
    }
    bench.advance(Span::from_secs(10));
    let first = bench.store().rescue(bench.queue(), 2, &policy()).await.expect("it answers");
    assert_eq!(first.iter().map(|meta| meta.id.as_str()).collect::<Vec<_>>(), ["b", "c"]);
}

async fn a_rescue_of_nothing_is_fine(bench: &Bench) {
    assert_eq!(bench.rescue().await, []);
    bench.put("a").await;
    assert_eq!(bench.rescue().await, []);
}

/// All jobs of the worker come back, in order.
async fn a_crashed_worker_loses_nothing(bench: &Bench) {
    bench.put_many(100).await;
    bench.claim(100).await;
    bench.advance(LEASE);
    assert_eq!(bench.rescue().await.len(), 100);
    assert_eq!(bench.claim_ids(100).await, (0..100).map(|n| nth(n).to_string()).collect::<Vec<_>>());
}

async fn a_rescued_job_has_no_lease(bench: &Bench) {
    bench.put("a").await;
    assert_eq!(stall(bench, 1).await.lease, None);
    assert_eq!(bench.list_ids(ListQuery::lapsed(bench.queue().clone(), 10)).await, [""; 0]);
}

async fn a_stalled_job_that_keeps_nothing_is_gone(bench: &Bench) {
    let last_chance = job("a").with_max_stalls(Budget::from_raw(1)).with_retention(Retention::Remove);
    bench.put_job(last_chance).await;
    stall(bench, 1).await;
    assert_eq!(bench.find("a").await, None);
}

/// Programs without a worker have to do one of the two.
async fn claiming_or_rescuing_finds_a_lapsed_job(bench: &Bench) {
    bench.put_and_claim("a").await;
    bench.advance(LEASE);
    let claimed =
        bench.store().claim_or_rescue(bench.request(1), &policy(), &SystemRng).await.expect("it answers");
    assert_eq!(ids_of(&claimed.jobs), ["a"]);
    assert_eq!(claimed.jobs[0].record.meta.stalls, 1);
}

async fn a_rescue_leaves_the_other_queues_alone(bench: &Bench) {
    let other = bench.on_queue("other");
    bench.put_and_claim("a").await;
    other.put_and_claim("a").await;
    bench.advance(LEASE);
    assert_eq!(bench.rescue().await.len(), 1);
    assert_eq!(other.state("a").await, Some(State::Processing));
}
