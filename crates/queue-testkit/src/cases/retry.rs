//! Failures, budgets and reasons, as the store keeps them.

use super::cases;
use crate::bench::prelude::*;
use queue_core::{
    Budget, Changed, ClaimedJob, JobMeta, Reason, RetryPolicy, Span, State, StorageExt,
    lifecycle::{Cause, Event, Policy, Unhandled},
};
use std::time::Duration;

cases! { "retry":
    a_failed_attempt_is_followed_by_another [I7 I15];
    a_failed_job_waits_to_the_millisecond [I11];
    the_budget_ends_at_exactly_its_limit [I7 I8];
    a_budget_of_one_means_no_retry [I7 I8];
    an_unlimited_budget_never_ends [I7];
    the_largest_budget_is_kept [I7];
    a_terminal_failure_ends_at_once [I8];
    an_unknown_kind_ends_at_once_unless_the_policy_says_retry [I8];
    an_undecodable_payload_ends_at_once_unless_the_policy_says_retry [I8];
    a_failure_can_name_its_own_wait [I11];
    a_policy_without_retries_ends_at_once [I8];
    backoff_grows_from_failure_to_failure [I11];
    an_exhausted_job_is_never_given_again [I6 I8];
    a_redrive_gives_a_fresh_budget [I7];
    failures_of_one_job_leave_the_others [I16];
    a_redrive_of_anything_but_failed_or_cancelled_is_refused [I6];
    a_redrive_of_a_completed_result_would_lose_it_and_is_refused [I6 I13];
}

async fn exhaust(bench: &Bench, failures: u32) -> JobMeta {
    let mut last = None;
    for _ in 0..failures {
        last = Some(bench.fail(&bench.claim_one().await).await);
        bench.advance(RETRY);
    }
    last.expect("at least one failure")
}

/// The job is Failing, and later claimable.
async fn a_failed_attempt_is_followed_by_another(bench: &Bench) {
    let meta = bench.fail(&bench.put_and_claim("a").await).await;
    assert_eq!((meta.state, meta.failures, meta.reason), (State::Failing, 1, None));
    bench.advance(RETRY);
    assert_eq!(bench.claim_one().await.record.meta.attempt(), 2);
}

async fn a_failed_job_waits_to_the_millisecond(bench: &Bench) {
    bench.fail(&bench.put_and_claim("a").await).await;
    bench.advance(Span::from_millis(RETRY.as_millis() - 1));
    bench.assert_nothing_due().await;
    bench.advance(MILLI);
    assert_eq!(bench.claim_ids(1).await, ["a"]);
}

/// With one failure less than the budget the job is Failing, at the limit Failed.
async fn the_budget_ends_at_exactly_its_limit(bench: &Bench) {
    for limit in 2..=5 {
        let text = format!("limit-{limit}");
        bench.put_job(job(&text).with_max_attempts(Budget::from_raw(limit))).await;
        assert_eq!(exhaust(bench, limit - 1).await.state, State::Failing);
        let end = exhaust(bench, 1).await;
        assert_eq!((end.state, end.failures, end.reason), (State::Failed, limit, Some(Reason::Exhausted)));
    }
}

async fn a_budget_of_one_means_no_retry(bench: &Bench) {
    bench.put_job(job("a").with_max_attempts(Budget::from_raw(1))).await;
    assert_eq!(exhaust(bench, 1).await.state, State::Failed);
}

/// The failures exceed any default.
async fn an_unlimited_budget_never_ends(bench: &Bench) {
    bench.put_job(job("a").with_max_attempts(Budget::Unlimited)).await;
    let meta = exhaust(bench, 50).await;
    assert_eq!((meta.state, meta.failures), (State::Failing, 50));
}

/// The number must not lose its highest bit.
async fn the_largest_budget_is_kept(bench: &Bench) {
    let largest = Budget::from_raw(u32::MAX);
    bench.put_job(job("a").with_max_attempts(largest).with_max_stalls(largest)).await;
    let meta = exhaust(bench, 1).await;
    assert_eq!((meta.terms.max_attempts, meta.terms.max_stalls), (largest, largest));
}

/// The budget is not spent.
async fn a_terminal_failure_ends_at_once(bench: &Bench) {
    let meta = bench.fail_terminally(&bench.put_and_claim("a").await).await;
    assert_eq!((meta.state, meta.failures, meta.reason), (State::Failed, 1, Some(Reason::Terminal)));
    assert_eq!(meta.finished_at, Some(bench.now()));
}

async fn failed_under(bench: &Bench, held: &ClaimedJob, cause: Cause, policy: &Policy) -> JobMeta {
    let event = fail_because(held.token, cause);
    match bench.store().settle(&held.record.meta, event, policy).await.expect("settle answers") {
        Changed::Done(meta) => meta,
        other => panic!("{other:?}"),
    }
}

async fn assert_unhandled(bench: &Bench, cause: Cause, reason: Reason, lenient: &Policy) {
    let held = bench.put_and_claim("strict").await;
    let meta = failed_under(bench, &held, cause, &policy()).await;
    assert_eq!((meta.state, meta.reason), (State::Failed, Some(reason)));
    let held = bench.put_and_claim("lenient").await;
    let meta = failed_under(bench, &held, cause, lenient).await;
    assert_eq!((meta.state, meta.reason, meta.failures), (State::Failing, None, 1));
}

/// The failure is recorded rather than dropped.
async fn an_unknown_kind_ends_at_once_unless_the_policy_says_retry(bench: &Bench) {
    let lenient = policy().unknown_kind(Unhandled::Retry);
    assert_unhandled(bench, Cause::UnknownKind, Reason::UnknownKind, &lenient).await;
}

async fn an_undecodable_payload_ends_at_once_unless_the_policy_says_retry(bench: &Bench) {
    let lenient = policy().undecodable(Unhandled::Retry);
    assert_unhandled(bench, Cause::Undecodable, Reason::Undecodable, &lenient).await;
}

/// A server's `Retry-After` is such a wait.
async fn a_failure_can_name_its_own_wait(bench: &Bench) {
    for (n, wait) in [Span::ZERO, Span::from_millis(7), KEPT].into_iter().enumerate() {
        let held = bench.put_and_claim(nth(n).as_str()).await;
        let delay = Some(wait);
        let event = Event::Fail {
            token: held.token,
            failure: failure(),
            cause: Cause::Retryable,
            delay,
            retention: None,
            then: Vec::new(),
        };
        assert_eq!(bench.settled(&held, event).await.run_at, bench.now() + wait);
        bench.changed(nth(n).as_str(), Event::Delete).await;
    }
}

async fn a_policy_without_retries_ends_at_once(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    let never = policy().retry(RetryPolicy::None);
    let meta = failed_under(bench, &held, Cause::Retryable, &never).await;
    assert_eq!((meta.state, meta.reason), (State::Failed, Some(Reason::Exhausted)));
}

/// The store keeps the count from which the backoff is computed.
async fn backoff_grows_from_failure_to_failure(bench: &Bench) {
    let retry = RetryPolicy::exponential(Duration::from_secs(1)).cap(Duration::from_secs(60)).jitter(0.0);
    let doubling = policy().retry(retry);
    bench.put_job(job("a").with_max_attempts(Budget::Unlimited)).await;
    for wait in [1, 2, 4, 8, 16, 32, 60, 60].map(Span::from_secs) {
        let meta = failed_under(bench, &bench.claim_one().await, Cause::Retryable, &doubling).await;
        assert_eq!(meta.run_at, bench.now() + wait);
        bench.advance(wait);
    }
}

async fn an_exhausted_job_is_never_given_again(bench: &Bench) {
    bench.put("a").await;
    exhaust(bench, 3).await;
    bench.advance(Span::from_secs(600));
    bench.assert_nothing_due().await;
    assert_eq!(bench.state("a").await, Some(State::Failed));
}

/// Counters start from zero, and the job is due now.
async fn a_redrive_gives_a_fresh_budget(bench: &Bench) {
    bench.put("a").await;
    let failed = exhaust(bench, 3).await;
    let meta = bench.changed("a", Event::Redrive { content_type: None }).await;
    let expected = JobMeta {
        state: State::Queued,
        reason: None,
        failures: 0,
        run_at: bench.now(),
        last_error: None,
        failed_at: None,
        finished_at: None,
        purge_at: None,
        revision: failed.revision + 1,
        ..failed
    };
    assert_eq!(meta, expected);
    assert_eq!(exhaust(bench, 3).await.reason, Some(Reason::Exhausted));
}

async fn failures_of_one_job_leave_the_others(bench: &Bench) {
    bench.put_many(5).await;
    let held = bench.claim(5).await;
    bench.fail_terminally(&held[2]).await;
    for n in [0, 1, 3, 4] {
        assert_eq!(bench.complete(&held[n]).await.failures, 0);
    }
}

/// All other states are tried.
async fn a_redrive_of_anything_but_failed_or_cancelled_is_refused(bench: &Bench) {
    bench.put("a").await;
    assert!(matches!(bench.change("a", Event::Redrive { content_type: None }).await, Changed::Rejected(_)));
    let held = bench.claim_one().await;
    assert!(matches!(bench.change("a", Event::Redrive { content_type: None }).await, Changed::Rejected(_)));
    bench.fail(&held).await;
    assert!(matches!(bench.change("a", Event::Redrive { content_type: None }).await, Changed::Rejected(_)));
    assert_eq!(bench.change("b", Event::Redrive { content_type: None }).await, Changed::Missing);
}

/// A producer that wants it again enqueues it again.
async fn a_redrive_of_a_completed_result_would_lose_it_and_is_refused(bench: &Bench) {
    bench.complete(&bench.put_and_claim("a").await).await;
    assert!(matches!(bench.change("a", Event::Redrive { content_type: None }).await, Changed::Rejected(_)));
    assert_eq!(bench.result("a").await.as_deref(), Some(RESULT));
}
