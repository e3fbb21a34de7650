//! Cancelling: at once if the job waits, by a mark if it runs.

use super::cases;
use crate::bench::prelude::*;
use queue_core::{
    Applied, Budget, Changed, Retention, RetentionPolicy, Span, State,
    lifecycle::{Event, OnProcessing, Rejected},
};

cases! { "cancel":
    a_waiting_job_is_cancelled_and_never_given [I10];
    a_scheduled_job_is_cancelled_and_never_given [I10 I11];
    a_failing_job_is_cancelled_and_never_given [I10];
    a_running_job_is_left_alone_unless_asked [I10];
    a_running_job_is_marked_when_asked [I10];
    asking_twice_says_that_it_was_asked [I10];
    a_marked_job_may_still_complete [I10 I5];
    a_marked_job_that_fails_is_cancelled [I10];
    a_marked_job_that_is_released_is_cancelled [I10];
    a_marked_job_that_snoozes_is_cancelled [I10];
    a_marked_job_that_stalls_is_cancelled [I10 I15];
    a_heartbeat_tells_the_holder [I10];
    a_terminal_job_answers_its_state [I6 I10];
    cancelling_twice_says_that_it_is [I10];
    cancelling_nothing_is_missing [I10];
    cancelling_a_purged_job_is_missing [I10];
    a_cancelled_job_is_kept_as_failures_are [I13];
    a_cancelled_job_that_keeps_nothing_is_gone [I10];
    a_cancel_that_a_claim_overtook_is_stale [I10];
    a_cancel_between_claim_and_settle_is_seen [I10];
    an_await_between_claim_and_settle_is_seen [I13];
    both_flags_between_claim_and_settle_are_seen [I10 I13];
    a_completion_that_a_cancel_overtook_is_decided_again [I10 I5];
    a_cancelled_record_says_nothing_of_a_reason [I8];
    a_redrive_forgets_the_mark [I10];
    the_mark_survives_heartbeats [I10];
}

async fn marked(bench: &Bench, text: &str) -> queue_core::ClaimedJob {
    let held = bench.put_and_claim(text).await;
    assert!(matches!(bench.cancel(text).await, Changed::Done(meta) if meta.cancel_requested));
    held
}

async fn assert_cancelled_for_good(bench: &Bench, text: &str) {
    assert_eq!(bench.state(text).await, Some(State::Cancelled));
    bench.advance(Span::from_secs(60));
    bench.assert_nothing_due().await;
}

/// The answer promises that the job will not start.
async fn a_waiting_job_is_cancelled_and_never_given(bench: &Bench) {
    bench.put("a").await;
    let meta = bench.changed("a", Event::Cancel { processing: OnProcessing::Leave }).await;
    assert_eq!((meta.state, meta.finished_at), (State::Cancelled, Some(bench.now())));
    assert_cancelled_for_good(bench, "a").await;
}

/// The job is not claimed when its time comes either.
async fn a_scheduled_job_is_cancelled_and_never_given(bench: &Bench) {
    bench.put_job(job("a").with_delay(RETRY)).await;
    bench.cancel("a").await;
    assert_cancelled_for_good(bench, "a").await;
}

async fn a_failing_job_is_cancelled_and_never_given(bench: &Bench) {
    bench.fail(&bench.put_and_claim("a").await).await;
    bench.cancel("a").await;
    assert_eq!(bench.meta("a").await.failures, 1);
    assert_cancelled_for_good(bench, "a").await;
}

/// The answer says that the job runs.
async fn a_running_job_is_left_alone_unless_asked(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    let answer = bench.change("a", Event::Cancel { processing: OnProcessing::Leave }).await;
    assert_eq!(answer, Changed::Rejected(Rejected::NotAllowed(State::Processing)));
    assert_eq!(bench.record("a").await, held.record);
}

/// The job keeps its lease.
async fn a_running_job_is_marked_when_asked(bench: &Bench) {
    let held = marked(bench, "a").await;
    let meta = bench.meta("a").await;
    assert_eq!((meta.state, meta.cancel_requested), (State::Processing, true));
    assert_eq!(meta.lease, held.record.meta.lease);
}

/// Producers repeat calls too.
async fn asking_twice_says_that_it_was_asked(bench: &Bench) {
    marked(bench, "a").await;
    assert_eq!(bench.cancel("a").await, Changed::Rejected(Rejected::Already(State::Processing)));
}

/// The work is done, so discarding the result would help no one.
async fn a_marked_job_may_still_complete(bench: &Bench) {
    let held = marked(bench, "a").await;
    assert_eq!(bench.complete(&held).await.state, State::Completed);
    assert_eq!(bench.result("a").await.as_deref(), Some(RESULT));
}

/// No attempt follows, since the job is no longer wanted.
async fn a_marked_job_that_fails_is_cancelled(bench: &Bench) {
    let held = marked(bench, "a").await;
    let meta = bench.fail(&held).await;
    assert_eq!((meta.state, meta.failures, meta.reason), (State::Cancelled, 1, None));
    assert_eq!(meta.last_error, Some(failure()));
    assert_cancelled_for_good(bench, "a").await;
}

/// A worker that heeds the mark releases its job.
async fn a_marked_job_that_is_released_is_cancelled(bench: &Bench) {
    let held = marked(bench, "a").await;
    assert_eq!(bench.release(&held).await.state, State::Cancelled);
    assert_cancelled_for_good(bench, "a").await;
}

async fn a_marked_job_that_snoozes_is_cancelled(bench: &Bench) {
    let held = marked(bench, "a").await;
    assert_eq!(bench.settled(&held, snooze(held.token)).await.state, State::Cancelled);
    assert_cancelled_for_good(bench, "a").await;
}

/// The job has stalls left.
async fn a_marked_job_that_stalls_is_cancelled(bench: &Bench) {
    marked(bench, "a").await;
    bench.advance(LEASE);
    let rescued = bench.rescue().await;
    assert_eq!((rescued[0].state, rescued[0].stalls), (State::Cancelled, 1));
    assert_cancelled_for_good(bench, "a").await;
}

/// The answer to the heartbeat carries the mark.
async fn a_heartbeat_tells_the_holder(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    assert!(!bench.settled(&held, extend(held.token, LEASE)).await.cancel_requested);
    bench.cancel("a").await;
    assert!(bench.settled(&held, extend(held.token, LEASE)).await.cancel_requested);
}

/// A cancel that comes too late is answered, not refused.
async fn a_terminal_job_answers_its_state(bench: &Bench) {
    bench.complete(&bench.put_and_claim("a").await).await;
    bench.fail_terminally(&bench.put_and_claim("b").await).await;
    for (text, state) in [("a", State::Completed), ("b", State::Failed)] {
        let before = bench.record(text).await;
        assert_eq!(bench.cancel(text).await, Changed::Rejected(Rejected::NotAllowed(state)));
        assert_eq!(bench.record(text).await, before);
    }
}

/// The record of the first cancel stands.
async fn cancelling_twice_says_that_it_is(bench: &Bench) {
    bench.put("a").await;
    bench.cancel("a").await;
    let before = bench.record("a").await;
    bench.advance(RETRY);
    assert_eq!(bench.cancel("a").await, Changed::Rejected(Rejected::Already(State::Cancelled)));
    assert_eq!(bench.record("a").await, before);
}

async fn cancelling_nothing_is_missing(bench: &Bench) {
    assert_eq!(bench.cancel("a").await, Changed::Missing);
    assert_eq!(bench.state("a").await, None);
}

async fn cancelling_a_purged_job_is_missing(bench: &Bench) {
    bench.complete(&bench.put_and_claim("a").await).await;
    bench.advance(KEPT);
    assert_eq!(bench.cancel("a").await, Changed::Missing);
}

/// Cancelled jobs follow the retention of failures, not that of completions.
async fn a_cancelled_job_is_kept_as_failures_are(bench: &Bench) {
    let retention = RetentionPolicy { completed: Retention::Remove, failed: Retention::Keep(RETRY) };
    bench.put_job(job("a").with_retention(retention)).await;
    bench.cancel("a").await;
    assert_eq!(bench.meta("a").await.purge_at, Some(bench.now() + RETRY));
    bench.advance(RETRY);
    assert_eq!(bench.state("a").await, None);
}

/// The answer still shows the record.
async fn a_cancelled_job_that_keeps_nothing_is_gone(bench: &Bench) {
    bench.put_job(job("a").with_retention(Retention::Remove)).await;
    assert!(matches!(bench.cancel("a").await, Changed::Done(_)));
    assert_eq!(bench.state("a").await, None);
    bench.assert_nothing_due().await;
}

/// The cancel was decided on a waiting job, and is applied to a running one.
async fn a_cancel_that_a_claim_overtook_is_stale(bench: &Bench) {
    bench.put("a").await;
    let cancel = decided(&bench.meta("a").await, Event::Cancel { processing: OnProcessing::Leave });
    let held = bench.claim_one().await;
    assert_eq!(bench.apply(cancel).await, Applied::Stale(held.record.meta.clone()));
    bench.complete(&held).await;
}

/// Each settle that was decided before the mark is refused, and its answer shows the mark.
async fn a_cancel_between_claim_and_settle_is_seen(bench: &Bench) {
    let held = marked(bench, "a").await;
    let before = bench.record("a").await;
    for settle in SETTLES {
        let answer = bench.apply(decided(&held.record.meta, settle(held.token))).await;
        assert_eq!(answer, Applied::Stale(before.meta.clone()));
    }
    assert_eq!(bench.record("a").await, before);
}

/// Otherwise the result could be removed before the waiter reads it.
async fn an_await_between_claim_and_settle_is_seen(bench: &Bench) {
    bench.put_job(job("a").with_retention(Retention::Remove)).await;
    let held = bench.claim_one().await;
    bench.changed("a", Event::Await).await;
    let early = bench.apply(decided(&held.record.meta, complete(held.token))).await;
    assert!(matches!(early, Applied::Stale(meta) if meta.awaited));
    assert_eq!(bench.complete(&held).await.purge_at, Some(bench.now() + Span::from_secs(60)));
    assert_eq!(bench.result("a").await.as_deref(), Some(RESULT));
}

async fn both_flags_between_claim_and_settle_are_seen(bench: &Bench) {
    bench.put_job(job("a").with_retention(Retention::Remove)).await;
    let held = bench.claim_one().await;
    bench.cancel("a").await;
    bench.changed("a", Event::Await).await;
    let meta = bench.release(&held).await;
    assert_eq!((meta.state, meta.purge_at), (State::Cancelled, Some(bench.now() + Span::from_secs(60))));
}

/// A completion that was decided with the mark in sight wins over the mark.
async fn a_completion_that_a_cancel_overtook_is_decided_again(bench: &Bench) {
    let held = marked(bench, "a").await;
    assert!(!held.record.meta.cancel_requested, "the holder has not seen the mark");
    assert_eq!(bench.complete(&held).await.state, State::Completed);
}

/// Only Failed records have a reason.
async fn a_cancelled_record_says_nothing_of_a_reason(bench: &Bench) {
    bench.put_job(job("a").with_max_attempts(Budget::from_raw(1))).await;
    let held = bench.claim_one().await;
    bench.cancel("a").await;
    let meta = bench.fail(&held).await;
    assert_eq!((meta.state, meta.reason), (State::Cancelled, None));
}

async fn a_redrive_forgets_the_mark(bench: &Bench) {
    let held = marked(bench, "a").await;
    bench.release(&held).await;
    assert!(!bench.changed("a", Event::Redrive { content_type: None }).await.cancel_requested);
    bench.fail(&bench.claim_one().await).await;
    assert_eq!(bench.state("a").await, Some(State::Failing));
}

async fn the_mark_survives_heartbeats(bench: &Bench) {
    let held = marked(bench, "a").await;
    for _ in 0..5 {
        bench.settled(&held, extend(held.token, LEASE)).await;
    }
    assert_eq!(bench.release(&held).await.state, State::Cancelled);
}
