//! The record of charged attempts.

use super::cases;
use crate::bench::prelude::*;
use queue_core::{
    ATTEMPTS_MAX, Attempt, AttemptOutcome, Budget, ClaimedJob, Failure, NewJob, OnFailed, OnWaiting, Prune,
    State, StorageExt,
    lifecycle::{Cause, Event, OnProcessing},
};

cases! { "attempts":
    a_job_that_never_failed_has_none [I7] (Attempts);
    a_failure_tells_who_when_and_why [I7] (Attempts);
    a_stall_tells_the_same_whoever_noticed_it [I7 I15] (Attempts);
    they_stand_in_the_order_of_claims [I7] (Attempts);
    what_is_not_charged_leaves_none [I7] (Attempts);
    a_message_is_cut_at_a_whole_character [I17] (Attempts);
    the_last_ten_are_kept [I7] (Attempts);
    a_settle_that_is_sent_again_adds_none [I5] (Attempts);
    a_failure_that_cancels_is_charged [I10] (Attempts);
    a_redrive_keeps_them [I7] (Attempts);
    a_new_life_has_none [I9] (Attempts);
    they_go_with_the_job [I20] (Attempts);
    a_batch_charges_each_its_own [I4] (Attempts);
    several_in_one_step_of_a_store_are_all_kept [I4] (Attempts);
    each_queue_has_its_own [I20] (Attempts);
    an_absent_job_has_no_answer [I20] (Attempts);
    they_are_there_after_a_reopen [I21] (Attempts Reopen);
}

async fn attempts(bench: &Bench, text: &str) -> Vec<Attempt> {
    let answer = bench.store().attempts_of(bench.queue(), &id(text)).await.expect("attempts answers");
    let job = answer.value.expect("the job is there");
    assert_eq!(job.meta, bench.meta(text).await);
    job.attempts
}

async fn epochs(bench: &Bench, text: &str) -> Vec<u64> {
    attempts(bench, text).await.iter().map(|attempt| attempt.epoch).collect()
}

fn tireless(text: &str) -> NewJob {
    job(text).with_max_attempts(Budget::from_raw(0)).with_max_stalls(Budget::from_raw(0))
}

/// Claims the job when its wait is over, and fails it.
async fn fail_once(bench: &Bench) -> ClaimedJob {
    bench.advance(RETRY);
    let held = bench.claim_one().await;
    bench.fail(&held).await;
    held
}

/// Releases, snoozes and a completion leave no attempt.
async fn a_job_that_never_failed_has_none(bench: &Bench) {
    bench.put_one_of_each().await;
    for text in ["queued", "processing", "completed", "cancelled"] {
        assert_eq!(attempts(bench, text).await, [], "{text}");
    }
}

async fn a_failure_tells_who_when_and_why(bench: &Bench) {
    bench.put("a").await;
    bench.advance(MILLI);
    let held = bench.claim_one().await;
    let claimed_at = bench.now();
    bench.advance(RETRY);
    let meta = bench.fail(&held).await;
    let expected = Attempt {
        epoch: 1,
        worker: held.record.meta.lease.expect("it is held").worker,
        claimed_at,
        ended_at: bench.now(),
        outcome: AttemptOutcome::Failed,
        error_name: failure().name().to_owned(),
        error_message: failure().message().to_owned(),
    };
    assert_eq!(attempts(bench, "a").await, [expected]);
    assert_eq!((meta.claimed_at, meta.failed_at), (Some(claimed_at), Some(bench.now())));
}

/// The rescue comes some time after the lapse.
async fn a_stall_tells_the_same_whoever_noticed_it(bench: &Bench) {
    bench.put("a").await;
    let request = bench.request_of("sleeper", 1, LEASE);
    let claimed_at = bench.now();
    bench.send(request).await;
    bench.advance(LEASE);
    bench.advance(RETRY);
    bench.rescue().await;
    let found = attempts(bench, "a").await;
    assert_eq!((found[0].worker.as_str(), found[0].claimed_at), ("sleeper", claimed_at));
    assert_eq!((found[0].ended_at, found[0].outcome), (bench.now(), AttemptOutcome::Stalled));
    assert_eq!((found[0].error_name.as_str(), found.len()), ("Stalled", 1));
}

/// Failures and stalls are mixed, with uncharged events between them.
async fn they_stand_in_the_order_of_claims(bench: &Bench) {
    bench.put_job(tireless("a")).await;
    fail_once(bench).await;
    bench.advance(RETRY);
    bench.release(&bench.claim_one().await).await;
    bench.claim_one().await;
    bench.advance(LEASE);
    bench.rescue().await;
    fail_once(bench).await;
    let found = attempts(bench, "a").await;
    let outcomes: Vec<_> = found.iter().map(|attempt| (attempt.epoch, attempt.outcome)).collect();
    let (failed, stalled) = (AttemptOutcome::Failed, AttemptOutcome::Stalled);
    assert_eq!(outcomes, [(1, failed), (3, stalled), (4, failed)]);
    bench.advance(RETRY);
    bench.complete(&bench.claim_one().await).await;
    assert_eq!(attempts(bench, "a").await, found);
}

/// The job is given back, put off or interrupted.
async fn what_is_not_charged_leaves_none(bench: &Bench) {
    bench.put("a").await;
    for settle in [release, snooze] {
        let held = bench.claim_one().await;
        bench.settled(&held, settle(held.token)).await;
        bench.advance(KEPT);
    }
    let held = bench.claim_one().await;
    bench.settled(&held, Event::interrupt(held.token)).await;
    assert_eq!(attempts(bench, "a").await, []);
}

/// The attempt's message is cut; the job's last error keeps the whole one.
async fn a_message_is_cut_at_a_whole_character(bench: &Bench) {
    bench.put("a").await;
    let held = bench.claim_one().await;
    let failure = Failure::new("Long", format!("x{}", "é".repeat(300)));
    let event = Event::Fail {
        token: held.token,
        failure: failure.clone(),
        cause: Cause::Retryable,
        delay: None,
        retention: None,
        then: Vec::new(),
    };
    let meta = bench.settled(&held, event).await;
    assert_eq!(meta.last_error, Some(failure));
    let found = attempts(bench, "a").await;
    assert_eq!(found[0].error_message, format!("x{}", "é".repeat(127)));
}

async fn the_last_ten_are_kept(bench: &Bench) {
    bench.put_job(tireless("a")).await;
    for n in 1..=13_u64 {
        fail_once(bench).await;
        let first = 1.max(n.saturating_sub(9));
        assert_eq!(epochs(bench, "a").await, (first..=n).collect::<Vec<_>>());
    }
    assert_eq!(attempts(bench, "a").await.len(), ATTEMPTS_MAX);
}

/// The first answer was lost, and no claim came in between.
async fn a_settle_that_is_sent_again_adds_none(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    let sent = decided(&held.record.meta, fail(held.token));
    for _ in 0..3 {
        assert!(bench.apply(sent.clone()).await.is_done());
        assert_eq!(epochs(bench, "a").await, [1]);
    }
}

/// The failure is the last attempt of a job that was marked to be cancelled.
async fn a_failure_that_cancels_is_charged(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    bench.changed("a", Event::Cancel { processing: OnProcessing::Request }).await;
    let seen = bench.meta("a").await;
    let changed = bench.store().settle(&seen, fail(held.token), &policy()).await.expect("settle answers");
    assert!(matches!(changed, queue_core::Changed::Done(meta) if meta.state == State::Cancelled));
    assert_eq!(epochs(bench, "a").await, [1]);
}

/// A redrive continues the life, with fresh budgets.
async fn a_redrive_keeps_them(bench: &Bench) {
    bench.put("a").await;
    bench.fail_terminally(&bench.claim_one().await).await;
    let meta = bench.changed("a", Event::Redrive { content_type: None }).await;
    assert_eq!((meta.failures, meta.failed_at, meta.claimed_at), (0, None, Some(bench.now())));
    assert_eq!(epochs(bench, "a").await, [1]);
    bench.advance(MILLI);
    fail_once(bench).await;
    assert_eq!(epochs(bench, "a").await, [1, 2]);
}

/// The new life replaces a failed job, or one that waits for its next attempt.
async fn a_new_life_has_none(bench: &Bench) {
    bench.put("failed").await;
    bench.fail_terminally(&bench.claim_one().await).await;
    bench.put_job(job("failed").with_on_failed(OnFailed::Replace)).await;
    bench.cancel("failed").await;
    bench.put("failing").await;
    bench.fail(&bench.claim_one().await).await;
    bench.put_job(job("failing").with_on_waiting(OnWaiting::Replace { max_wait: None })).await;
    for text in ["failed", "failing"] {
        assert_eq!(attempts(bench, text).await, [], "{text}");
    }
}

/// A later life under the same id starts without attempts.
async fn they_go_with_the_job(bench: &Bench) {
    for text in ["deleted", "pruned", "purged"] {
        bench.put(text).await;
        bench.fail_terminally(&bench.claim_one().await).await;
    }
    bench.changed("deleted", Event::Delete).await;
    bench.prune(Prune::FinishedBefore(queue_core::Span::ZERO), 1).await;
    bench.advance(KEPT);
    let purged = bench.store().attempts_of(bench.queue(), &id("purged")).await.expect("attempts answers");
    assert_eq!(purged.value, None);
    bench.prune(Prune::Expired, 10).await;
    for text in ["deleted", "pruned", "purged"] {
        bench.put(text).await;
        assert_eq!(attempts(bench, text).await, [], "{text}");
    }
}

async fn a_batch_charges_each_its_own(bench: &Bench) {
    bench.put_many(25).await;
    let held = bench.claim(25).await;
    let batch = held.iter().enumerate().map(|(n, job)| {
        let settle = if n % 3 == 0 { complete } else { fail };
        decided(&job.record.meta, settle(job.token))
    });
    bench.apply_all(batch.collect()).await;
    for n in 0..25 {
        assert_eq!(attempts(bench, nth(n).as_str()).await.len(), usize::from(n % 3 != 0), "{n}");
    }
}

/// Several jobs have a lapse and an attempt before it, ended in one step.
async fn several_in_one_step_of_a_store_are_all_kept(bench: &Bench) {
    for n in 0..5 {
        bench.put_job(tireless(nth(n).as_str())).await;
    }
    for round in 1..=4 {
        bench.advance(KEPT);
        let held = bench.claim(5).await;
        assert_eq!(held.len(), 5);
        if round % 2 == 0 {
            bench.advance(LEASE);
            assert_eq!(bench.rescue().await.len(), 5);
        } else {
            bench
                .apply_all(held.iter().map(|job| decided(&job.record.meta, fail(job.token))).collect())
                .await;
        }
    }
    for n in 0..5 {
        assert_eq!(epochs(bench, nth(n).as_str()).await, [1, 2, 3, 4]);
    }
}

async fn each_queue_has_its_own(bench: &Bench) {
    let other = bench.on_queue("other");
    bench.put("a").await;
    other.put("a").await;
    bench.fail(&bench.claim_one().await).await;
    assert_eq!((epochs(bench, "a").await.len(), epochs(&other, "a").await.len()), (1, 0));
}

/// Some queues are empty, others hold other jobs.
async fn an_absent_job_has_no_answer(bench: &Bench) {
    for _ in 0..2 {
        let answer = bench.store().attempts_of(bench.queue(), &id("absent")).await.expect("attempts answers");
        assert_eq!((answer.value, answer.now), (None, bench.now()));
        bench.put(&format!("another-{}", bench.now().as_millis())).await;
        bench.advance(MILLI);
    }
}

async fn they_are_there_after_a_reopen(bench: &Bench) {
    bench.put_job(tireless("a")).await;
    for _ in 0..12 {
        fail_once(bench).await;
    }
    let before = attempts(bench, "a").await;
    bench.reopen().await;
    assert_eq!(attempts(bench, "a").await, before);
    fail_once(bench).await;
    assert_eq!(epochs(bench, "a").await, (4..=13).collect::<Vec<_>>());
}
