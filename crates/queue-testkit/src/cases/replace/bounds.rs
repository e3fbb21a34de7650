//! How long replacements can put a job off.

use super::{debounced, replace, replacing};
use crate::{bench::prelude::*, cases::cases};
use queue_core::{OnWaiting, Span, Timestamp, lifecycle::Event};

cases! { "replace":
    a_job_that_is_replaced_over_and_over_is_due_after_the_last [I11];
    the_wait_is_bounded_to_the_millisecond [I11 I15];
    the_bound_counts_from_the_first_of_many [I11];
    a_bound_that_has_passed_makes_the_job_due_now_and_not_before [I11 I12];
    each_replacement_brings_a_bound_of_its_own [I11];
    a_bound_that_is_longer_than_the_delay_does_nothing [I11];
    the_first_of_them_is_bounded_by_nothing [I11];
    a_retry_and_a_snooze_may_be_replaced_within_the_bound_of_their_first [I11];
    next_due_and_counts_follow_the_bound [I15 I20];
    the_longest_bound_is_no_overflow [I11];
    a_clock_that_steps_back_makes_nothing_due_sooner_than_now [I11 I24];
    the_bound_outlives_the_handle [I11 I21] (Reopen);
}

/// The due time of the job, and the creation time of the first that it replaced.
async fn times(bench: &Bench) -> (Timestamp, Timestamp) {
    let meta = bench.meta("a").await;
    (meta.run_at, meta.created_at)
}

/// Without a bound a job can be put off for ever.
async fn a_job_that_is_replaced_over_and_over_is_due_after_the_last(bench: &Bench) {
    let begin = bench.now();
    let mut seq = bench.put_job(replacing("a").with_delay(RETRY)).await;
    for _ in 0..20 {
        bench.advance(Span::from_millis(RETRY.as_millis() - 1));
        bench.assert_nothing_due().await;
        seq = replace(bench, replacing("a").with_delay(RETRY), seq).await;
        assert_eq!(times(bench).await, (bench.now() + RETRY, begin));
    }
    bench.advance(RETRY);
    assert_eq!(bench.claim_ids(10).await, ["a"]);
}

/// The times are before, at and after the bound.
async fn the_wait_is_bounded_to_the_millisecond(bench: &Bench) {
    let max_wait = Span::from_millis(5_000);
    for passed in [3_999, 4_000, 4_001, 4_999, 5_000, 5_001] {
        let begin = bench.now();
        let seq = bench.put_job(debounced("a", KEPT, max_wait)).await;
        bench.advance(Span::from_millis(passed));
        replace(bench, debounced("a", RETRY, max_wait), seq).await;
        let latest = if passed > 5_000 { bench.now() } else { begin + max_wait };
        let expected = if passed < 4_000 { bench.now() + RETRY } else { latest };
        assert_eq!(times(bench).await, (expected, begin), "replaced after {passed} ms");
        if expected > bench.now() {
            bench.clock.set(Timestamp::from_millis(expected.as_millis() - 1));
            bench.assert_nothing_due().await;
        }
        bench.clock.set(expected);
        assert_eq!(bench.claim_ids(10).await, ["a"], "replaced after {passed} ms");
        bench.prune(queue_core::Prune::Everything, 10).await;
    }
}

/// A bound that counted from the last one would move along.
async fn the_bound_counts_from_the_first_of_many(bench: &Bench) {
    let begin = bench.now();
    let mut seq = bench.put_job(debounced("a", STALL, LEASE)).await;
    for n in 1..=20 {
        bench.advance(Span::from_secs(4));
        seq = replace(bench, debounced("a", STALL, LEASE), seq).await;
        let expected = (bench.now() + STALL).min((begin + LEASE).max(bench.now()));
        assert_eq!(times(bench).await, (expected, begin), "replaced {n} times");
    }
    assert_eq!(bench.claim_ids(10).await, ["a"]);
    bench.complete(&bench.put_and_claim("b").await).await;
}

/// The job comes after those that were due before.
async fn a_bound_that_has_passed_makes_the_job_due_now_and_not_before(bench: &Bench) {
    bench.put_job(replacing("a").with_delay(KEPT)).await;
    bench.advance(LEASE);
    bench.put("b").await;
    bench.advance(MILLI);
    bench.enqueue(debounced("a", KEPT, MILLI)).await;
    assert_eq!(times(bench).await.0, bench.now());
    bench.enqueue(debounced("a", KEPT, Span::ZERO)).await;
    assert_eq!(times(bench).await.0, bench.now());
    assert_eq!(bench.claim_ids(10).await, ["b", "a"]);
}

/// The bound of the last one counts, from the creation of the first.
async fn each_replacement_brings_a_bound_of_its_own(bench: &Bench) {
    let begin = bench.now();
    bench.put_job(debounced("a", STALL, LEASE)).await;
    bench.advance(RETRY);
    bench.enqueue(debounced("a", KEPT, STALL)).await;
    assert_eq!(times(bench).await, (begin + STALL, begin));
    bench.enqueue(debounced("a", KEPT, LEASE)).await;
    assert_eq!(times(bench).await, (begin + LEASE, begin));
    bench.enqueue(replacing("a").with_delay(KEPT)).await;
    assert_eq!(times(bench).await, (bench.now() + KEPT, begin));
}

async fn a_bound_that_is_longer_than_the_delay_does_nothing(bench: &Bench) {
    bench.put_job(debounced("a", RETRY, KEPT)).await;
    bench.advance(MILLI);
    for delay in [RETRY, Span::ZERO, STALL] {
        bench.enqueue(debounced("a", delay, KEPT)).await;
        assert_eq!(times(bench).await.0, bench.now() + delay);
    }
}

/// The first replaces no job, so the bound does not shorten its delay.
async fn the_first_of_them_is_bounded_by_nothing(bench: &Bench) {
    bench.put_job(debounced("a", STALL, RETRY)).await;
    assert_eq!(times(bench).await, (bench.now() + STALL, bench.now()));
}

/// Such jobs have run, and still wait under their creation time.
async fn a_retry_and_a_snooze_may_be_replaced_within_the_bound_of_their_first(bench: &Bench) {
    for settle in [fail, snooze] {
        let begin = bench.now();
        let held = bench.put_and_claim("a").await;
        bench.advance(RETRY);
        bench.settled(&held, settle(held.token)).await;
        bench.enqueue(debounced("a", LEASE, STALL)).await;
        assert_eq!(times(bench).await, (begin + STALL, begin));
        bench.changed("a", Event::Delete).await;
    }
}

/// Workers sleep until `next_due`.
async fn next_due_and_counts_follow_the_bound(bench: &Bench) {
    bench.put_job(job("a").with_delay(KEPT)).await;
    bench.advance(RETRY);
    bench.enqueue(debounced("a", KEPT, STALL)).await;
    let left = Span::from_millis(STALL.as_millis() - RETRY.as_millis());
    let at = bench.next_due().await.expect("it is to come");
    assert!(at > bench.now() && at <= bench.now() + left, "{at}");
    assert_eq!(bench.counts().await.scheduled, 1);
    bench.advance(left);
    bench.enqueue(debounced("a", KEPT, STALL)).await;
    assert_eq!((bench.counts().await.scheduled, bench.counts().await.oldest_due), (0, Some(bench.now())));
}

/// The longest delay does not overflow either.
async fn the_longest_bound_is_no_overflow(bench: &Bench) {
    let begin = bench.now();
    bench.put("a").await;
    bench.advance(RETRY);
    bench.enqueue(debounced("a", Span::MAX, Span::MAX)).await;
    assert_eq!(times(bench).await, (begin + Span::MAX, begin));
    bench.enqueue(debounced("a", RETRY, Span::MAX)).await;
    assert_eq!(times(bench).await, (bench.now() + RETRY, begin));
}

/// Store time stands still, and so does the bound.
async fn a_clock_that_steps_back_makes_nothing_due_sooner_than_now(bench: &Bench) {
    let begin = bench.now();
    bench.put_job(job("a").with_delay(KEPT)).await;
    bench.advance(STALL);
    bench.put("b").await;
    let seen = bench.now();
    bench.step_back(LEASE);
    bench.enqueue(debounced("a", KEPT, RETRY)).await;
    assert_eq!(times(bench).await, (seen, begin));
}

/// The creation time of the first is as durable as the job.
async fn the_bound_outlives_the_handle(bench: &Bench) {
    let begin = bench.now();
    bench.put_job(debounced("a", STALL, LEASE)).await;
    for _ in 0..3 {
        bench.advance(Span::from_secs(9));
        bench.reopen().await;
        assert_eq!(bench.enqueue_groups(vec![vec![debounced("a", STALL, LEASE)]]).await.len(), 1);
    }
    assert_eq!(times(bench).await, (begin + LEASE, begin));
    let wait = OnWaiting::Replace { max_wait: Some(LEASE) };
    bench.reopen().await;
    bench.enqueue(job("a").with_delay(KEPT).with_on_waiting(wait)).await;
    assert_eq!(times(bench).await, (begin + LEASE, begin));
}
