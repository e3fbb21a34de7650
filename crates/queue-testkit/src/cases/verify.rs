//! The store's own cross-check of indexes and records.

use super::cases;
use crate::bench::prelude::*;
use queue_core::{Prune, Retention, Span, lifecycle::Event};

cases! { "verify":
    an_empty_store_adds_up [I20] (Verify);
    one_of_each_state_adds_up [I20] (Verify);
    it_adds_up_after_every_step_of_a_life [I20] (Verify);
    many_queues_add_up [I20] (Verify);
    it_adds_up_while_records_are_overdue [I20] (Verify);
    it_adds_up_after_pruning_part_of_it [I20] (Verify);
}

async fn assert_adds_up(bench: &Bench, after: &str) {
    let findings = bench.store().verify().await.expect("it can verify");
    assert!(findings.is_empty(), "after {after}: {findings:#?}");
}

async fn an_empty_store_adds_up(bench: &Bench) {
    assert_adds_up(bench, "nothing").await;
}

/// Each index has an entry.
async fn one_of_each_state_adds_up(bench: &Bench) {
    bench.put_one_of_each().await;
    bench.put_job(job("scheduled").with_delay(RETRY)).await;
    assert_adds_up(bench, "one of each").await;
}

/// The life contains every event.
async fn it_adds_up_after_every_step_of_a_life(bench: &Bench) {
    bench.put_job(job("a").with_delay(RETRY)).await;
    assert_adds_up(bench, "enqueue").await;
    bench.changed("a", Event::Promote).await;
    assert_adds_up(bench, "promote").await;
    let held = bench.claim_one().await;
    assert_adds_up(bench, "claim").await;
    bench.settled(&held, extend(held.token, KEPT)).await;
    assert_adds_up(bench, "extend").await;
    bench.changed("a", Event::Await).await;
    bench.settled(&held, snooze(held.token)).await;
    assert_adds_up(bench, "snooze").await;
    bench.advance(RETRY);
    bench.claim_one().await;
    bench.advance(LEASE);
    bench.rescue().await;
    assert_adds_up(bench, "rescue").await;
    bench.cancel("a").await;
    assert_adds_up(bench, "cancel").await;
    bench.changed("a", Event::Redrive { content_type: None }).await;
    assert_adds_up(bench, "redrive").await;
    bench.complete(&bench.claim_one().await).await;
    assert_adds_up(bench, "complete").await;
    bench.changed("a", Event::SetRetention(Retention::Forever)).await;
    assert_adds_up(bench, "another retention").await;
    bench.changed("a", Event::Delete).await;
    assert_adds_up(bench, "delete").await;
}

async fn many_queues_add_up(bench: &Bench) {
    for n in 0..20 {
        let queue = bench.on_queue(&format!("queue-{n}"));
        queue.put_one_of_each().await;
    }
    assert_adds_up(bench, "twenty queues").await;
}

/// Overdue records count as absent, and still exist.
async fn it_adds_up_while_records_are_overdue(bench: &Bench) {
    bench.put_one_of_each().await;
    bench.advance(KEPT);
    assert_adds_up(bench, "their purge time").await;
    bench.put("completed").await;
    assert_adds_up(bench, "a new life").await;
}

/// A bounded prune removes whole records.
async fn it_adds_up_after_pruning_part_of_it(bench: &Bench) {
    bench.put_many(20).await;
    for held in bench.claim(10).await {
        bench.complete(&held).await;
    }
    bench.prune(Prune::FinishedBefore(Span::ZERO), 3).await;
    assert_adds_up(bench, "pruning three").await;
    bench.prune(Prune::Everything, 8).await;
    assert_adds_up(bench, "pruning eight more").await;
}
