//! Removing records.

use super::cases;
use crate::bench::prelude::*;
use queue_core::{Applied, Prune, Retention, Span, State};

cases! { "prune":
    nothing_to_prune_is_fine [I20];
    records_past_their_purge_are_pruned_and_no_others [I1 I20];
    a_record_is_pruned_from_the_millisecond_of_its_purge [I20];
    a_prune_is_bounded_and_goes_on [I17 I20];
    finished_records_are_pruned_by_age_whatever_their_retention [I20];
    pruning_by_age_counts_from_the_end [I20];
    pruning_by_age_leaves_unfinished_jobs [I1];
    everything_means_everything [I20];
    everything_is_bounded_too [I17 I20];
    the_holder_of_a_pruned_job_finds_it_missing [I4];
    pruning_is_about_one_queue [I20];
    a_pruned_job_is_in_no_index [I20];
    pruned_jobs_free_their_ids_for_thousands [I9 I20];
}

async fn nothing_to_prune_is_fine(bench: &Bench) {
    for what in [Prune::Expired, Prune::FinishedBefore(Span::ZERO), Prune::Everything] {
        assert_eq!(bench.prune(what, 10).await, 0);
    }
}

async fn completed(bench: &Bench, text: &str, retention: Retention) {
    bench.put_job(job(text).with_retention(retention)).await;
    bench.complete(&bench.claim_one().await).await;
}

/// The retentions are shorter, longer and for ever.
async fn records_past_their_purge_are_pruned_and_no_others(bench: &Bench) {
    completed(bench, "short", Retention::Keep(RETRY)).await;
    completed(bench, "long", Retention::Keep(KEPT)).await;
    completed(bench, "forever", Retention::Forever).await;
    bench.put("waiting").await;
    bench.advance(RETRY);
    assert_eq!(bench.prune(Prune::Expired, 10).await, 1);
    assert_eq!(bench.prune(Prune::Expired, 10).await, 0);
    assert_eq!(bench.counts().await.total(), 3);
}

async fn a_record_is_pruned_from_the_millisecond_of_its_purge(bench: &Bench) {
    completed(bench, "a", Retention::Keep(RETRY)).await;
    bench.advance(Span::from_millis(RETRY.as_millis() - 1));
    assert_eq!(bench.prune(Prune::Expired, 10).await, 0);
    bench.advance(MILLI);
    assert_eq!(bench.prune(Prune::Expired, 10).await, 1);
}

async fn complete_many(bench: &Bench, n: usize) {
    bench.put_many(n).await;
    let held = bench.claim(n).await;
    let batch = held.iter().map(|job| decided(&job.record.meta, complete(job.token))).collect();
    bench.apply_all(batch).await;
}

/// A bound keeps each call short.
async fn a_prune_is_bounded_and_goes_on(bench: &Bench) {
    complete_many(bench, 25).await;
    bench.advance(KEPT);
    for expected in [10, 10, 5, 0] {
        assert_eq!(bench.prune(Prune::Expired, 10).await, expected);
    }
}

/// A full disk takes precedence over retention.
async fn finished_records_are_pruned_by_age_whatever_their_retention(bench: &Bench) {
    completed(bench, "a", Retention::Forever).await;
    bench.fail_terminally(&bench.put_and_claim("b").await).await;
    bench.put("c").await;
    bench.cancel("c").await;
    assert_eq!(bench.prune(Prune::FinishedBefore(RETRY), 10).await, 0);
    bench.advance(RETRY);
    assert_eq!(bench.prune(Prune::FinishedBefore(RETRY), 10).await, 3);
    assert_eq!(bench.counts().await.total(), 0);
}

/// The bound is exact to the millisecond.
async fn pruning_by_age_counts_from_the_end(bench: &Bench) {
    for n in 0..3 {
        completed(bench, nth(n).as_str(), Retention::Forever).await;
        bench.advance(RETRY);
    }
    let two = Prune::FinishedBefore(Span::from_secs(2));
    assert_eq!(bench.prune(two, 10).await, 2);
    assert_eq!(bench.state(nth(2).as_str()).await, Some(State::Completed));
    bench.advance(Span::from_millis(999));
    assert_eq!(bench.prune(two, 10).await, 0);
    bench.advance(MILLI);
    assert_eq!(bench.prune(two, 10).await, 1);
}

async fn pruning_by_age_leaves_unfinished_jobs(bench: &Bench) {
    bench.fail(&bench.put_and_claim("failing").await).await;
    bench.put_and_claim("running").await;
    bench.put("waiting").await;
    bench.advance(KEPT);
    assert_eq!(bench.prune(Prune::FinishedBefore(Span::ZERO), 10).await, 0);
    assert_eq!(bench.counts().await.total(), 3);
}

/// Jobs in all states are removed.
async fn everything_means_everything(bench: &Bench) {
    completed(bench, "completed", Retention::Forever).await;
    bench.fail(&bench.put_and_claim("failing").await).await;
    bench.put_and_claim("running").await;
    bench.put("waiting").await;
    bench.put_job(job("later").with_delay(RETRY)).await;
    assert_eq!(bench.prune(Prune::Everything, 100).await, 5);
    assert_eq!(bench.counts().await.total(), 0);
    assert_eq!(bench.next_due().await, None);
}

async fn everything_is_bounded_too(bench: &Bench) {
    complete_many(bench, 7).await;
    bench.put("waiting").await;
    for expected in [3, 3, 2, 0] {
        assert_eq!(bench.prune(Prune::Everything, 3).await, expected);
    }
}

async fn the_holder_of_a_pruned_job_finds_it_missing(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    bench.prune(Prune::Everything, 10).await;
    for settle in SETTLES {
        assert_eq!(bench.apply(decided(&held.record.meta, settle(held.token))).await, Applied::Missing);
    }
    assert_eq!(bench.apply(decided(&held.record.meta, extend(held.token, LEASE))).await, Applied::Missing);
}

async fn pruning_is_about_one_queue(bench: &Bench) {
    let other = bench.on_queue("other");
    bench.put_many(3).await;
    other.put_many(3).await;
    assert_eq!(bench.prune(Prune::Everything, 100).await, 3);
    assert_eq!(other.counts().await.total(), 3);
}

/// A pruned job is not claimed, rescued or listed.
async fn a_pruned_job_is_in_no_index(bench: &Bench) {
    bench.put_many(3).await;
    bench.claim(1).await;
    bench.prune(Prune::Everything, 10).await;
    bench.advance(KEPT);
    bench.assert_nothing_due().await;
    assert_eq!(bench.rescue().await, []);
    assert_eq!(bench.list(queue_core::ListQuery::all(bench.queue().clone(), 10)).await, []);
}

async fn pruned_jobs_free_their_ids_for_thousands(bench: &Bench) {
    complete_many(bench, 3000).await;
    bench.advance(KEPT);
    assert_eq!(bench.prune(Prune::Expired, 10_000).await, 3000);
    bench.put_many(3000).await;
    assert_eq!(bench.claim(3000).await.len(), 3000);
}
