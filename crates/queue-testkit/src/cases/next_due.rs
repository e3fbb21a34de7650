//! `next_due` of a claim: a lower bound that a worker can sleep on.

use super::cases;
use crate::bench::prelude::*;
use queue_core::{ClaimRequest, Retention, Span, Timestamp, lifecycle::Event};

cases! { "next_due":
    nothing_to_wait_for_is_none [I15];
    a_delayed_job_is_waited_for [I15 I11];
    a_lapse_is_waited_for [I15];
    more_that_is_due_now_is_said [I15];
    the_earliest_of_several_counts [I15];
    a_lapsed_lease_is_past_due [I15];
    a_failing_job_is_waited_for [I15];
    a_snoozed_job_is_waited_for [I15];
    an_extended_lease_is_waited_for_anew [I15];
    asking_with_a_limit_of_zero_answers_the_same [I15];
    terminal_jobs_are_not_waited_for [I15];
    a_job_that_went_is_not_waited_for [I15];
    the_other_queues_are_not_waited_for [I15];
    sleeping_until_then_finds_the_job [I15 I11];
}

/// Asserts that the bound is in the future, and not after the first moment at which a claim gets a
/// job.
fn assert_bound(answer: Option<Timestamp>, earliest: Timestamp, now: Timestamp) {
    let at = answer.expect("there is something to wait for");
    assert!(at <= earliest, "a worker would sleep past {earliest} until {at}");
    assert!(at > now || earliest <= now, "a worker would spin: {at} is not after {now}");
}

/// Only an enqueue can bring a job.
async fn nothing_to_wait_for_is_none(bench: &Bench) {
    assert_eq!(bench.next_due().await, None);
}

/// The answer is the job's time, not a poll interval.
async fn a_delayed_job_is_waited_for(bench: &Bench) {
    bench.put_job(job("a").with_delay(Span::from_secs(60))).await;
    assert_bound(bench.next_due().await, bench.now() + Span::from_secs(60), bench.now());
}

/// A worker must come and rescue the job.
async fn a_lapse_is_waited_for(bench: &Bench) {
    bench.put("a").await;
    let claimed = bench.send(bench.request(1)).await;
    assert_bound(claimed.next_due, bench.now() + LEASE, bench.now());
}

/// The jobs beyond the limit are due already.
async fn more_that_is_due_now_is_said(bench: &Bench) {
    bench.put_many(3).await;
    let claimed = bench.send(bench.request(2)).await;
    assert!(claimed.next_due.expect("one is left") <= claimed.now);
}

/// The first moment may be a job's time or a lapse.
async fn the_earliest_of_several_counts(bench: &Bench) {
    bench.put_and_claim("held").await;
    for (text, secs) in [("b", 50), ("c", 20), ("d", 40)] {
        bench.put_job(job(text).with_delay(Span::from_secs(secs))).await;
    }
    assert_bound(bench.next_due().await, bench.now() + Span::from_secs(20), bench.now());
    bench.changed("c", Event::Delete).await;
    assert_bound(bench.next_due().await, bench.now() + LEASE, bench.now());
}

/// So a worker rescues at once.
async fn a_lapsed_lease_is_past_due(bench: &Bench) {
    bench.put_and_claim("a").await;
    bench.advance(LEASE);
    assert!(bench.next_due().await.expect("it lapsed") <= bench.now());
}

async fn a_failing_job_is_waited_for(bench: &Bench) {
    bench.fail(&bench.put_and_claim("a").await).await;
    assert_bound(bench.next_due().await, bench.now() + RETRY, bench.now());
}

async fn a_snoozed_job_is_waited_for(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    bench.settled(&held, snooze(held.token)).await;
    assert_bound(bench.next_due().await, bench.now() + RETRY, bench.now());
}

/// A heartbeat moves the lapse.
async fn an_extended_lease_is_waited_for_anew(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    bench.settled(&held, extend(held.token, Span::from_secs(5))).await;
    assert_bound(bench.next_due().await, bench.now() + Span::from_secs(5), bench.now());
    bench.settled(&held, extend(held.token, Span::from_secs(500))).await;
    bench.advance(LEASE);
    assert_bound(bench.next_due().await, bench.now() + Span::from_secs(470), bench.now());
}

/// If a job is due, the answer is the present time, and no job is claimed.
async fn asking_with_a_limit_of_zero_answers_the_same(bench: &Bench) {
    bench.put("a").await;
    assert!(bench.next_due().await.expect("one is due") <= bench.now());
    bench.claim_one().await;
    assert_bound(bench.next_due().await, bench.now() + LEASE, bench.now());
}

/// A purge time does not concern claims.
async fn terminal_jobs_are_not_waited_for(bench: &Bench) {
    bench.complete(&bench.put_and_claim("a").await).await;
    bench.put_job(job("b").with_delay(RETRY)).await;
    bench.cancel("b").await;
    assert_eq!(bench.next_due().await, None);
}

/// An index entry without its record would wake workers for nothing.
async fn a_job_that_went_is_not_waited_for(bench: &Bench) {
    bench.put_job(job("a").with_delay(RETRY)).await;
    bench.changed("a", Event::Delete).await;
    bench.put_job(job("b").with_retention(Retention::Remove)).await;
    bench.complete(&bench.claim_one().await).await;
    assert_eq!(bench.next_due().await, None);
}

async fn the_other_queues_are_not_waited_for(bench: &Bench) {
    bench.on_queue("other").put("a").await;
    assert_eq!(bench.next_due().await, None);
}

/// The case uses the bound as a worker does.
async fn sleeping_until_then_finds_the_job(bench: &Bench) {
    for secs in 1..=5 {
        bench
            .put_job(job(nth(secs).as_str()).with_delay(Span::from_secs(i64::try_from(secs).expect("small"))))
            .await;
    }
    for turn in 1..=5 {
        let at = bench.next_due().await.expect("one is to come");
        bench.clock.set(at);
        let request: ClaimRequest = bench.request_of("worker-1", 10, KEPT);
        assert_eq!(ids_of(&bench.send(request).await.jobs), [nth(turn).to_string()]);
    }
}
