//! Jobs whose time is still to come.

use super::cases;
use crate::bench::prelude::*;
use queue_core::{
    Changed, Prune, Span, State,
    lifecycle::{Event, Rejected},
};

const MANY: usize = 3000;

cases! { "schedule":
    a_job_is_due_on_its_millisecond [I11];
    a_delay_counts_from_the_enqueue [I11];
    jobs_become_due_one_by_one [I11 I12];
    thousands_that_become_due_at_once_are_all_given [I1 I11 I15];
    a_promoted_job_is_due_now [I11];
    promoting_keeps_what_was_charged [I7];
    a_running_or_finished_job_cannot_be_promoted [I6];
    promoting_nothing_is_missing [I2];
    promoting_what_is_due_is_harmless [I12];
    a_scheduled_job_can_be_deleted [I20];
    a_clock_that_steps_back_delays_no_job [I11 I24];
    a_clock_that_leaps_ahead_makes_all_due [I11 I15];
    a_promotion_that_a_claim_overtook_is_stale [I3];
}

async fn a_job_is_due_on_its_millisecond(bench: &Bench) {
    bench.put_job(job("a").with_delay(RETRY)).await;
    bench.advance(Span::from_millis(RETRY.as_millis() - 1));
    bench.assert_nothing_due().await;
    bench.advance(MILLI);
    assert_eq!(bench.claim_ids(1).await, ["a"]);
}

/// Each delay counts from its own enqueue.
async fn a_delay_counts_from_the_enqueue(bench: &Bench) {
    bench.put_job(job("a").with_delay(RETRY)).await;
    bench.advance(Span::from_millis(400));
    bench.put_job(job("b").with_delay(RETRY)).await;
    bench.advance(Span::from_millis(600));
    assert_eq!(bench.claim_ids(10).await, ["a"]);
    bench.advance(Span::from_millis(400));
    assert_eq!(bench.claim_ids(10).await, ["b"]);
}

/// The jobs were enqueued in the opposite order.
async fn jobs_become_due_one_by_one(bench: &Bench) {
    for n in (0..20).rev() {
        bench
            .put_job(job(nth(n).as_str()).with_delay(Span::from_millis(i64::try_from(n).expect("small"))))
            .await;
    }
    for n in 0..20 {
        assert_eq!(bench.claim_ids(10).await, [nth(n).to_string()]);
        bench.advance(MILLI);
    }
}

/// A store may move them to the ready index in portions, but a claim must not end before all are
/// moved.
async fn thousands_that_become_due_at_once_are_all_given(bench: &Bench) {
    let all = (0..MANY).map(|n| job(nth(n).as_str()).with_delay(RETRY)).collect();
    bench.enqueue_groups(vec![all]).await;
    bench.advance(RETRY);
    let mut seen = Vec::new();
    while seen.len() < MANY {
        let batch = bench.claim_ids(500).await;
        assert!(!batch.is_empty(), "only {} of {MANY} were given", seen.len());
        seen.extend(batch);
    }
    assert_eq!(seen, (0..MANY).map(|n| nth(n).to_string()).collect::<Vec<_>>());
}

async fn a_promoted_job_is_due_now(bench: &Bench) {
    bench.put_job(job("a").with_delay(KEPT)).await;
    let meta = bench.changed("a", Event::Promote).await;
    assert_eq!((meta.state, meta.run_at), (State::Queued, bench.now()));
    assert_eq!(bench.claim_ids(1).await, ["a"]);
}

/// A promotion skips the wait, not the charges.
async fn promoting_keeps_what_was_charged(bench: &Bench) {
    bench.fail(&bench.put_and_claim("a").await).await;
    let meta = bench.changed("a", Event::Promote).await;
    assert_eq!((meta.state, meta.failures, meta.last_error), (State::Failing, 1, Some(failure())));
    assert_eq!(bench.claim_one().await.record.meta.attempt(), 2);
}

async fn a_running_or_finished_job_cannot_be_promoted(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    let refused = |state| Changed::Rejected(Rejected::NotAllowed(state));
    assert_eq!(bench.change("a", Event::Promote).await, refused(State::Processing));
    bench.complete(&held).await;
    assert_eq!(bench.change("a", Event::Promote).await, refused(State::Completed));
}

async fn promoting_nothing_is_missing(bench: &Bench) {
    assert_eq!(bench.change("a", Event::Promote).await, Changed::Missing);
    assert_eq!(bench.prune(Prune::Everything, 10).await, 0);
}

/// The job is due already, and keeps its position.
async fn promoting_what_is_due_is_harmless(bench: &Bench) {
    bench.put_many(2).await;
    bench.advance(MILLI);
    bench.changed(nth(0).as_str(), Event::Promote).await;
    assert_eq!(bench.claim_ids(10).await, [0, 1].map(|n| nth(n).to_string()));
}

/// The index entry of its time is removed too.
async fn a_scheduled_job_can_be_deleted(bench: &Bench) {
    bench.put_job(job("a").with_delay(RETRY)).await;
    bench.changed("a", Event::Delete).await;
    bench.advance(RETRY);
    bench.assert_nothing_due().await;
    assert_eq!(bench.counts().await.total(), 0);
}

/// Store time stands still, and the delay counts from there.
async fn a_clock_that_steps_back_delays_no_job(bench: &Bench) {
    bench.put_job(job("before").with_delay(RETRY)).await;
    let seen = bench.now();
    bench.step_back(KEPT);
    bench.put("after").await;
    assert_eq!(bench.meta("after").await.run_at, seen);
    assert_eq!(bench.claim_ids(10).await, ["after"]);
    bench.clock.set(seen + RETRY);
    assert_eq!(bench.claim_ids(10).await, ["before"]);
}

/// A laptop that was suspended has such a clock.
async fn a_clock_that_leaps_ahead_makes_all_due(bench: &Bench) {
    for (n, secs) in [60, 3600, 86_400].into_iter().enumerate() {
        bench.put_job(job(nth(n).as_str()).with_delay(Span::from_secs(secs))).await;
    }
    bench.advance(Span::from_secs(30 * 86_400));
    assert_eq!(bench.claim(10).await.len(), 3);
}

/// The job runs already.
async fn a_promotion_that_a_claim_overtook_is_stale(bench: &Bench) {
    bench.put("a").await;
    let promote = decided(&bench.meta("a").await, Event::Promote);
    let held = bench.claim_one().await;
    assert_eq!(bench.apply(promote).await, queue_core::Applied::Stale(held.record.meta.clone()));
    bench.complete(&held).await;
}
