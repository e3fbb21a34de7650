//! The counts of a queue.

use super::cases;
use crate::bench::prelude::*;
use queue_core::{Counts, Moment, Retention, Span, State, lifecycle::Event};

cases! { "counts":
    an_empty_queue_counts_nothing [I20];
    every_step_moves_one_job_from_count_to_count [I20];
    scheduled_jobs_are_counted_until_they_are_due [I11 I20];
    the_oldest_due_job_is_told [I15 I20];
    the_oldest_due_job_is_the_oldest_of_any_priority [I12 I20];
    a_job_that_went_is_not_counted [I20];
    a_redriven_job_is_counted_once [I20];
    a_duplicate_is_not_counted [I9 I20];
    counts_are_about_one_queue [I20];
    ten_thousand_jobs_are_counted [I20];
}

fn of(counts: &Counts) -> [u64; 6] {
    State::ALL.map(|state| counts.of(state))
}

/// A queue that was never used counts nothing either.
async fn an_empty_queue_counts_nothing(bench: &Bench) {
    assert_eq!(bench.counts().await, Counts::empty(Moment::at(bench.now())));
}

/// A job goes through a whole life; the expected counts are in the order of [`State::ALL`].
async fn every_step_moves_one_job_from_count_to_count(bench: &Bench) {
    bench.put("a").await;
    assert_eq!(of(&bench.counts().await), [1, 0, 0, 0, 0, 0]);
    let held = bench.claim_one().await;
    assert_eq!(of(&bench.counts().await), [0, 1, 0, 0, 0, 0]);
    bench.fail(&held).await;
    assert_eq!(of(&bench.counts().await), [0, 0, 1, 0, 0, 0]);
    bench.advance(RETRY);
    bench.fail_terminally(&bench.claim_one().await).await;
    assert_eq!(of(&bench.counts().await), [0, 0, 0, 0, 1, 0]);
    bench.changed("a", Event::Redrive { content_type: None }).await;
    bench.cancel("a").await;
    assert_eq!(of(&bench.counts().await), [0, 0, 0, 0, 0, 1]);
    bench.changed("a", Event::Redrive { content_type: None }).await;
    bench.complete(&bench.claim_one().await).await;
    assert_eq!(of(&bench.counts().await), [0, 0, 0, 1, 0, 0]);
    bench.changed("a", Event::Delete).await;
    assert_eq!(of(&bench.counts().await), [0; 6]);
}

/// The clock moves them, without a write.
async fn scheduled_jobs_are_counted_until_they_are_due(bench: &Bench) {
    for (n, millis) in [0, 10, 20, 30].into_iter().enumerate() {
        bench.put_job(job(nth(n).as_str()).with_delay(Span::from_millis(millis))).await;
    }
    for expected in [3, 2, 1, 0] {
        let counts = bench.counts().await;
        assert_eq!((counts.scheduled, counts.of(State::Queued)), (expected, 4));
        bench.advance(Span::from_millis(10));
    }
}

/// The oldest due job shows how far the queue lags behind.
async fn the_oldest_due_job_is_told(bench: &Bench) {
    bench.put_job(job("later").with_delay(RETRY)).await;
    assert_eq!(bench.counts().await.oldest_due, None);
    let start = bench.now();
    bench.put("a").await;
    bench.advance(MILLI);
    bench.put("b").await;
    assert_eq!(bench.counts().await.oldest_due, Some(start));
    bench.claim_one().await;
    assert_eq!(bench.counts().await.oldest_due, Some(start + MILLI));
    bench.claim_one().await;
    assert_eq!(bench.counts().await.oldest_due, None);
    bench.advance(RETRY);
    assert_eq!(bench.counts().await.oldest_due, Some(start + RETRY));
}

/// The oldest job may be the one of the lowest priority, which always waits.
async fn the_oldest_due_job_is_the_oldest_of_any_priority(bench: &Bench) {
    let start = bench.now();
    bench.put_job(job("patient").with_priority(100)).await;
    bench.advance(RETRY);
    bench.put_job(job("urgent").with_priority(-100)).await;
    assert_eq!(bench.counts().await.oldest_due, Some(start));
}

async fn a_job_that_went_is_not_counted(bench: &Bench) {
    bench.put_job(job("a").with_retention(Retention::Remove)).await;
    bench.complete(&bench.claim_one().await).await;
    bench.put_job(job("b").with_delay(RETRY)).await;
    bench.changed("b", Event::Delete).await;
    let counts = bench.counts().await;
    assert_eq!((counts.total(), counts.scheduled, counts.oldest_due), (0, 0, None));
}

async fn a_redriven_job_is_counted_once(bench: &Bench) {
    bench.put("a").await;
    for _ in 0..5 {
        bench.cancel("a").await;
        bench.changed("a", Event::Redrive { content_type: None }).await;
    }
    assert_eq!(of(&bench.counts().await), [1, 0, 0, 0, 0, 0]);
}

/// A follower that is a duplicate is not counted either.
async fn a_duplicate_is_not_counted(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    bench.put("b").await;
    bench.enqueue(job("b")).await;
    bench.settled(&held, complete_then(held.token, vec![job("b")])).await;
    assert_eq!(of(&bench.counts().await), [1, 0, 0, 1, 0, 0]);
}

async fn counts_are_about_one_queue(bench: &Bench) {
    let other = bench.on_queue("other");
    bench.put_many(3).await;
    other.put(nth(0).as_str()).await;
    assert_eq!((bench.counts().await.total(), other.counts().await.total()), (3, 1));
}

async fn ten_thousand_jobs_are_counted(bench: &Bench) {
    bench.put_many(10_000).await;
    let held = bench.claim(1000).await;
    let batch = held.iter().map(|job| decided(&job.record.meta, complete(job.token))).collect();
    bench.apply_all(batch).await;
    assert_eq!(of(&bench.counts().await), [9000, 0, 0, 1000, 0, 0]);
}
