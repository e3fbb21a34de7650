//! A holder that wants to be called again later, uncharged.

use super::cases;
use crate::bench::prelude::*;
use queue_core::{Span, State, lifecycle::Event};

cases! { "snooze":
    a_snoozed_job_waits_to_the_millisecond [I11];
    nothing_is_charged_however_often [I7];
    a_snoozed_retry_is_failing_still [I7];
    snoozing_for_no_time_lines_up_again [I12];
    the_longest_snooze_is_kept_exactly [I11];
    a_snoozed_job_counts_as_scheduled [I20];
    a_snoozed_job_can_be_promoted [I11];
    a_snoozed_job_can_be_cancelled [I10];
}

async fn snooze_for(bench: &Bench, text: &str, delay: Span) -> queue_core::JobMeta {
    let held = bench.put_and_claim(text).await;
    bench.settled(&held, Event::snooze(held.token, delay)).await
}

async fn a_snoozed_job_waits_to_the_millisecond(bench: &Bench) {
    snooze_for(bench, "a", RETRY).await;
    bench.advance(Span::from_millis(RETRY.as_millis() - 1));
    bench.assert_nothing_due().await;
    bench.advance(MILLI);
    assert_eq!(bench.claim_ids(1).await, ["a"]);
}

/// A hundred polls are one attempt.
async fn nothing_is_charged_however_often(bench: &Bench) {
    bench.put("a").await;
    for _ in 0..100 {
        let held = bench.claim_one().await;
        let meta = bench.settled(&held, snooze(held.token)).await;
        assert_eq!((meta.state, meta.failures, meta.stalls), (State::Queued, 0, 0));
        bench.advance(RETRY);
    }
    assert_eq!(bench.claim_one().await.record.meta.attempt(), 1);
}

/// Earlier charges stay.
async fn a_snoozed_retry_is_failing_still(bench: &Bench) {
    bench.fail(&bench.put_and_claim("a").await).await;
    bench.advance(RETRY);
    let held = bench.claim_one().await;
    let meta = bench.settled(&held, snooze(held.token)).await;
    assert_eq!((meta.state, meta.failures, meta.last_error), (State::Failing, 1, Some(failure())));
}

/// The job comes after those that arrived meanwhile.
async fn snoozing_for_no_time_lines_up_again(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    bench.put("b").await;
    bench.advance(MILLI);
    bench.settled(&held, Event::snooze(held.token, Span::ZERO)).await;
    assert_eq!(bench.claim_ids(10).await, ["b", "a"]);
}

/// The longest snooze is a hundred years.
async fn the_longest_snooze_is_kept_exactly(bench: &Bench) {
    assert_eq!(snooze_for(bench, "a", Span::MAX).await.run_at, bench.now() + Span::MAX);
}

async fn a_snoozed_job_counts_as_scheduled(bench: &Bench) {
    snooze_for(bench, "a", RETRY).await;
    assert_eq!(bench.counts().await.scheduled, 1);
    bench.advance(RETRY);
    assert_eq!(bench.counts().await.scheduled, 0);
}

async fn a_snoozed_job_can_be_promoted(bench: &Bench) {
    snooze_for(bench, "a", KEPT).await;
    bench.changed("a", Event::Promote).await;
    assert_eq!(bench.claim_ids(1).await, ["a"]);
}

/// A snoozed job waits, so it is cancelled at once.
async fn a_snoozed_job_can_be_cancelled(bench: &Bench) {
    snooze_for(bench, "a", RETRY).await;
    bench.cancel("a").await;
    assert_eq!(bench.state("a").await, Some(State::Cancelled));
}
