//! How long a claim holds a job, and what a lapse means.

use super::cases;
use crate::bench::prelude::*;
use queue_core::{Applied, Changed, ListQuery, Span, State, lifecycle::Event};

cases! { "lease":
    a_lease_runs_from_the_claim [I3];
    a_lapse_is_seen_on_the_millisecond [I3 I15];
    a_lapse_alone_changes_nothing [I3 I7];
    a_lapsed_but_unrescued_holder_may_still_complete [I5];
    a_lapsed_but_unrescued_holder_may_still_fail [I5];
    a_lapsed_but_unrescued_holder_may_still_release_and_snooze [I5];
    a_lapsed_holder_cannot_extend [I3 I4];
    the_shortest_lease_is_one_millisecond [I3];
    the_longest_lease_does_not_overflow [I3];
    a_settle_ends_the_lease [I3];
    the_jobs_of_one_claim_lapse_together [I3];
    leases_of_different_length_lapse_apart [I3];
    a_claim_after_a_release_leases_anew [I3];
    a_clock_that_steps_back_does_not_revive_a_lease [I3 I24];
}

async fn lapsed(bench: &Bench) -> Vec<String> {
    bench.list_ids(ListQuery::lapsed(bench.queue().clone(), 100)).await
}

async fn a_lease_runs_from_the_claim(bench: &Bench) {
    bench.put("a").await;
    bench.advance(KEPT);
    let held = bench.claim_one().await;
    assert_eq!(held.record.meta.lease.expect("leased").expires_at, bench.now() + LEASE);
}

/// The lease lives until a millisecond before its end, and has lapsed at its end.
async fn a_lapse_is_seen_on_the_millisecond(bench: &Bench) {
    bench.put_and_claim("a").await;
    bench.advance(Span::from_millis(LEASE.as_millis() - 1));
    assert_eq!(lapsed(bench).await, [""; 0]);
    assert_eq!(bench.rescue().await, []);
    bench.advance(MILLI);
    assert_eq!(lapsed(bench).await, ["a"]);
    assert_eq!(bench.rescue().await.len(), 1);
}

/// Until a call ends the lease, the record stays as the claim left it.
async fn a_lapse_alone_changes_nothing(bench: &Bench) {
    bench.put_and_claim("a").await;
    let before = bench.record("a").await;
    bench.advance(KEPT);
    assert_eq!(bench.record("a").await, before);
    assert_eq!(bench.counts().await.of(State::Processing), 1);
}

/// The work is done; only the heartbeat was late.
async fn a_lapsed_but_unrescued_holder_may_still_complete(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    bench.advance(LEASE);
    let meta = bench.complete(&held).await;
    assert_eq!((meta.state, meta.stalls), (State::Completed, 0));
    assert_eq!(bench.rescue().await, []);
}

/// The job is charged once.
async fn a_lapsed_but_unrescued_holder_may_still_fail(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    bench.advance(LEASE);
    let meta = bench.fail(&held).await;
    assert_eq!((meta.state, meta.failures, meta.stalls), (State::Failing, 1, 0));
}

/// The job is not charged.
async fn a_lapsed_but_unrescued_holder_may_still_release_and_snooze(bench: &Bench) {
    for settle in [release, snooze] {
        bench.put("a").await;
        let held = bench.claim_one().await;
        bench.advance(LEASE);
        let meta = bench.settled(&held, settle(held.token)).await;
        assert_eq!((meta.state, meta.stalls), (State::Queued, 0));
        bench.changed("a", Event::Delete).await;
    }
}

/// A rescue may be under way.
async fn a_lapsed_holder_cannot_extend(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    bench.advance(LEASE);
    let before = bench.record("a").await;
    assert!(matches!(bench.settle(&held, extend(held.token, LEASE)).await, Changed::LeaseLost(_)));
    assert_eq!(bench.record("a").await, before);
}

/// The lease lapses with the next millisecond.
async fn the_shortest_lease_is_one_millisecond(bench: &Bench) {
    bench.put("a").await;
    bench.claim_for(MILLI).await;
    assert_eq!(lapsed(bench).await, [""; 0]);
    bench.advance(MILLI);
    assert_eq!(lapsed(bench).await, ["a"]);
}

/// The longest lease is a hundred years.
async fn the_longest_lease_does_not_overflow(bench: &Bench) {
    bench.put("a").await;
    let held = bench.claim_for(Span::MAX).await;
    assert_eq!(held.record.meta.lease.clone().expect("leased").expires_at, bench.now() + Span::MAX);
    assert_eq!(lapsed(bench).await, [""; 0]);
    bench.complete(&held).await;
}

/// No settle leaves a lease.
async fn a_settle_ends_the_lease(bench: &Bench) {
    for (n, settle) in SETTLES.into_iter().enumerate() {
        let held = bench.put_and_claim(nth(n).as_str()).await;
        let meta = bench.settled(&held, settle(held.token)).await;
        assert_eq!(meta.lease, None);
        bench.changed(nth(n).as_str(), Event::Delete).await;
    }
    bench.advance(KEPT);
    assert_eq!(lapsed(bench).await, [""; 0]);
}

/// The jobs of one claim share one time.
async fn the_jobs_of_one_claim_lapse_together(bench: &Bench) {
    bench.put_many(3).await;
    let held = bench.claim(3).await;
    let ends: Vec<_> =
        held.iter().filter_map(|job| job.record.meta.lease.clone()).map(|l| l.expires_at).collect();
    assert_eq!(ends, [bench.now() + LEASE; 3]);
}

/// The leases lapse in the order of their ends and not in the order of claims.
async fn leases_of_different_length_lapse_apart(bench: &Bench) {
    for (text, secs) in [("a", 30), ("b", 10), ("c", 20)] {
        bench.put(text).await;
        bench.claim_for(Span::from_secs(secs)).await;
    }
    bench.advance(Span::from_secs(20));
    assert_eq!(lapsed(bench).await, ["b", "c"]);
    bench.advance(Span::from_secs(10));
    assert_eq!(lapsed(bench).await, ["b", "c", "a"]);
}

/// The second lease does not depend on the first.
async fn a_claim_after_a_release_leases_anew(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    bench.advance(Span::from_secs(20));
    bench.release(&held).await;
    bench.claim_one().await;
    bench.advance(Span::from_secs(20));
    assert_eq!(lapsed(bench).await, [""; 0]);
}

/// A lapse that the store has seen stays a lapse.
async fn a_clock_that_steps_back_does_not_revive_a_lease(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    bench.advance(LEASE);
    assert_eq!(lapsed(bench).await, ["a"]);
    bench.step_back(KEPT);
    assert_eq!(lapsed(bench).await, ["a"]);
    let beat = bench.apply(decided(&held.record.meta, extend(held.token, LEASE))).await;
    assert!(matches!(beat, Applied::LeaseLost(_)));
    assert_eq!(bench.rescue().await.len(), 1);
}
