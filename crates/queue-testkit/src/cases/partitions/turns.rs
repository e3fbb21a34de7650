//! Partitions take turns by their weights, and a rest saves nothing up.

use super::{assert_shares, at_most, of, own, put_from, put_of, run_one, set, shares, weighing};
use crate::{bench::prelude::*, cases::cases};
use queue_core::{
    LimitScope, Span,
    lifecycle::{Amendment, Event},
};

cases! { "turns":
    partitions_take_turns [I26] (Partitions);
    turns_hold_from_claim_to_claim [I26] (Partitions);
    a_partition_gets_jobs_by_its_weight [I26] (Partitions);
    a_weight_that_changes_holds_from_then_on [I26] (Partitions);
    jobs_without_a_partition_take_turns_as_one [I26] (Partitions);
    a_flood_holds_up_no_other_partition [I26 I16] (Partitions);
    a_rest_saves_nothing_up [I26] (Partitions);
    jobs_that_come_one_at_a_time_pass_nobody [I26] (Partitions);
    a_partition_that_was_full_has_saved_nothing_up [I26 I25] (Partitions);
    a_flood_of_urgent_jobs_is_paid_back_by_nobody_else [I26] (Partitions);
    priority_goes_before_turns [I12 I26] (Partitions);
    within_a_partition_the_order_is_as_ever [I12] (Partitions);
    a_new_priority_moves_the_partition [I12] (Partitions);
    a_more_urgent_job_moves_its_partition [I12] (Partitions);
    without_partitions_the_order_is_as_ever [I12] (Partitions);
    handles_that_make_one_claim_each_take_turns_too [I26 I21] (Partitions Reopen);
}

async fn partitions_take_turns(bench: &Bench) {
    for partition in ["a", "b", "c"] {
        put_of(bench, partition, 6).await;
    }
    assert_shares!(bench.claim(9).await, ["a", 3], ["b", 3], ["c", 3]);
    assert_shares!(bench.claim(99).await, ["a", 3], ["b", 3], ["c", 3]);
}

/// In each stretch of claims the shares differ by one job at most.
async fn turns_hold_from_claim_to_claim(bench: &Bench) {
    for partition in ["a", "b", "c"] {
        put_of(bench, partition, 40).await;
    }
    let mut held = Vec::new();
    for limit in [1, 1, 1, 2, 5, 1, 1, 7, 3, 1, 1, 1] {
        held.extend(bench.claim(limit).await);
        let counts = shares(&held);
        let of = |partition| counts.get(partition).copied().unwrap_or(0);
        let counts = ["a", "b", "c"].map(of);
        let fewest = counts.into_iter().min().unwrap_or_default();
        assert!(counts.into_iter().all(|count| count <= fewest + 1), "{counts:?}");
    }
}

async fn a_partition_gets_jobs_by_its_weight(bench: &Bench) {
    set(bench, own("a"), weighing(3)).await;
    set(bench, LimitScope::Unpartitioned, weighing(2)).await;
    put_of(bench, "a", 60).await;
    put_of(bench, "b", 60).await;
    bench.put_many(60).await;
    assert_near(&shares(&bench.claim(60).await), [("a", 30), ("b", 10), ("", 20)]);
}

async fn a_weight_that_changes_holds_from_then_on(bench: &Bench) {
    put_of(bench, "a", 60).await;
    put_of(bench, "b", 60).await;
    assert_shares!(bench.claim(20).await, ["a", 10], ["b", 10]);
    set(bench, own("b"), weighing(4)).await;
    assert_near(&shares(&bench.claim(40).await), [("a", 8), ("b", 32)]);
    set(bench, own("b"), None).await;
    assert_near(&shares(&bench.claim(10).await), [("a", 5), ("b", 5)]);
}

async fn jobs_without_a_partition_take_turns_as_one(bench: &Bench) {
    bench.put_many(20).await;
    put_of(bench, "a", 20).await;
    assert_shares!(bench.claim(20).await, ["", 10], ["a", 10]);
}

async fn a_flood_holds_up_no_other_partition(bench: &Bench) {
    put_of(bench, "flood", 500).await;
    assert_eq!(bench.claim(7).await.len(), 7);
    put_of(bench, "small", 2).await;
    let next = shares(&bench.claim(4).await);
    assert!(next["small"] >= 1, "{next:?}");
    let more = shares(&bench.claim(2).await);
    assert_eq!(next["small"] + more.get("small").copied().unwrap_or(0), 2);
}

async fn a_rest_saves_nothing_up(bench: &Bench) {
    put_of(bench, "busy", 80).await;
    put_of(bench, "rests", 1).await;
    assert_eq!(bench.claim(40).await.len(), 40);
    put_from(bench, "rests", 1, 40).await;
    assert_near(&shares(&bench.claim(20).await), [("busy", 10), ("rests", 10)]);
}

/// A partition that is forgotten between two jobs would have a first turn again and again.
async fn jobs_that_come_one_at_a_time_pass_nobody(bench: &Bench) {
    put_of(bench, "stays", 40).await;
    let mut stayed = 0;
    for number in 0..20 {
        put_from(bench, "comes", number, 1).await;
        while run_one(bench).await.starts_with("stays") {
            stayed += 1;
        }
    }
    assert!((18..=21).contains(&stayed), "{stayed} jobs of the one that stays, beside 20");
}

async fn a_partition_that_was_full_has_saved_nothing_up(bench: &Bench) {
    set(bench, own("full"), at_most(1)).await;
    put_of(bench, "full", 40).await;
    put_of(bench, "free", 80).await;
    let first = bench.claim(40).await;
    assert_shares!(first, ["full", 1], ["free", 39]);
    set(bench, own("full"), None).await;
    assert_near(&shares(&bench.claim(20).await), [("full", 10), ("free", 10)]);
}

/// Neither the partition with the urgent jobs nor one that comes during the flood is set back by
/// more than a turn beside a third.
async fn a_flood_of_urgent_jobs_is_paid_back_by_nobody_else(bench: &Bench) {
    put_of(bench, "waits", 30).await;
    let urgent = (0..30).map(|number| of("urgent", number).with_priority(-1)).collect();
    bench.enqueue_groups(vec![urgent]).await;
    assert_shares!(bench.claim(25).await, ["urgent", 25]);
    put_of(bench, "comes", 30).await;
    assert_shares!(bench.claim(5).await, ["urgent", 5]);
    assert_near(&shares(&bench.claim(20).await), [("waits", 10), ("comes", 10)]);
}

async fn priority_goes_before_turns(bench: &Bench) {
    put_of(bench, "a", 3).await;
    bench.put_job(of("b", 0).with_priority(-5)).await;
    bench.put_job(of("b", 1).with_priority(-5)).await;
    bench.put_job(of("a", 9).with_priority(5)).await;
    bench.put_job(job("plain").with_priority(-7)).await;
    assert_eq!(bench.claim_ids(9).await, ["plain", "b0", "b1", "a0", "a1", "a2", "a9"]);
}

async fn within_a_partition_the_order_is_as_ever(bench: &Bench) {
    bench.put_job(of("a", 1).with_delay(Span::from_millis(2))).await;
    bench.put_job(of("a", 2).with_delay(MILLI)).await;
    bench.put_job(of("a", 3)).await;
    bench.put_job(of("a", 4).with_priority(-1).with_delay(Span::from_millis(2))).await;
    bench.put_job(of("a", 5)).await;
    bench.advance(Span::from_millis(2));
    assert_eq!(bench.claim_ids(9).await, ["a4", "a3", "a5", "a2", "a1"]);
}

async fn a_new_priority_moves_the_partition(bench: &Bench) {
    put_of(bench, "a", 2).await;
    put_of(bench, "b", 2).await;
    bench.changed("b1", Event::Amend(Amendment::of_priority(-1))).await;
    bench.changed("a0", Event::Amend(Amendment::of_priority(1))).await;
    assert_eq!(bench.claim_ids(1).await, ["b1"]);
    let mut rest = bench.claim_ids(2).await;
    rest.sort();
    assert_eq!(rest, ["a1", "b0"]);
    assert_eq!(bench.claim_ids(9).await, ["a0"]);
}

async fn a_more_urgent_job_moves_its_partition(bench: &Bench) {
    put_of(bench, "a", 5).await;
    put_of(bench, "b", 5).await;
    assert_eq!(bench.claim(4).await.len(), 4);
    bench.put_job(of("b", 9).with_priority(-1)).await;
    assert_eq!(bench.claim_ids(1).await, ["b9"]);
    bench.put_job(of("c", 0).with_priority(1)).await;
    bench.changed("c0", Event::Cancel { processing: queue_core::lifecycle::OnProcessing::Request }).await;
    assert_eq!(bench.claim(99).await.len(), 6);
}

async fn without_partitions_the_order_is_as_ever(bench: &Bench) {
    set(bench, LimitScope::EachPartition, at_most(1)).await;
    bench.put_many(5).await;
    bench.put_job(job("urgent").with_priority(-1)).await;
    let expected: Vec<String> =
        std::iter::once("urgent".to_owned()).chain((0..5).map(|n| nth(n).to_string())).collect();
    assert_eq!(bench.claim_ids(9).await, expected);
}

/// As programs do that claim once and end.
async fn handles_that_make_one_claim_each_take_turns_too(bench: &Bench) {
    for partition in ["a", "b", "c"] {
        put_of(bench, partition, 9).await;
    }
    let mut held = Vec::new();
    for _ in 0..9 {
        held.push(bench.claim_one().await);
        bench.reopen().await;
    }
    assert_shares!(held, ["a", 3], ["b", 3], ["c", 3]);
}

/// Asserts that each share is what it should be, up to one job.
fn assert_near<const N: usize>(
    shares: &std::collections::BTreeMap<String, usize>,
    expected: [(&str, usize); N],
) {
    for (partition, count) in expected {
        let found = shares.get(partition).copied().unwrap_or(0);
        assert!(found.abs_diff(count) <= 1, "{partition:?} has {found} and not {count} of {shares:?}");
    }
}
