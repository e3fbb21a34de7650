//! Limits are set, changed, taken away and refused while jobs run.

use super::{assert_shares, at_most, limits, numbers, own, put_from, put_of, set, set_each, weighing};
use crate::{bench::prelude::*, cases::cases};
use queue_core::{Limit, LimitScope};

cases! { "partition_limits":
    a_queue_has_none_until_one_is_set [I17] (Partitions);
    limits_are_read_as_they_were_set [I17] (Partitions);
    several_are_set_in_one_step [I17 I19] (Partitions);
    a_raised_limit_holds_at_once [I25 I15] (Partitions);
    a_lowered_limit_ends_no_lease [I25 I3] (Partitions);
    a_limit_that_is_taken_away_holds_nobody [I25 I15] (Partitions);
    a_limit_of_zero_pauses_a_partition [I25] (Partitions);
    its_own_limit_counts_before_that_of_each [I25] (Partitions);
    a_partition_may_have_a_limit_before_its_first_job [I25] (Partitions);
    limits_that_cannot_be_are_refused [I17 I19] (Partitions);
    one_limit_too_many_is_refused [I17 I19] (Partitions);
    limits_and_leases_outlast_a_reopening [I21 I25] (Partitions Reopen);
}

async fn a_queue_has_none_until_one_is_set(bench: &Bench) {
    assert_eq!(limits(bench).await, []);
    put_of(bench, "a", 3).await;
    assert_eq!(bench.claim(9).await.len(), 3, "a partition alone has no limit");
    assert_eq!(limits(bench).await, []);
    set(bench, own("a"), None).await;
    assert_eq!(limits(bench).await, []);
}

async fn limits_are_read_as_they_were_set(bench: &Bench) {
    let b = Limit { running: Some(u32::MAX), weight: Limit::WEIGHT_MAX };
    set(bench, own("b"), b).await;
    set(bench, own("a"), at_most(0)).await;
    set(bench, LimitScope::Unpartitioned, weighing(7)).await;
    set_each(bench, 3).await;
    let each = LimitScope::EachPartition;
    let expected = [
        (each.clone(), at_most(3)),
        (LimitScope::Unpartitioned, weighing(7)),
        (own("a"), at_most(0)),
        (own("b"), b),
    ];
    assert_eq!(limits(bench).await, expected);
    set(bench, own("a"), at_most(5)).await;
    set(bench, each, None).await;
    assert_eq!(
        limits(bench).await,
        [(LimitScope::Unpartitioned, weighing(7)), (own("a"), at_most(5)), (own("b"), b)]
    );
    assert_eq!(limits(&bench.on_queue("another")).await, []);
}

async fn several_are_set_in_one_step(bench: &Bench) {
    set(bench, own("b"), at_most(9)).await;
    let changes = vec![(own("a"), Some(at_most(1))), (own("b"), None), (own("a"), Some(at_most(2)))];
    bench.store().set_limits(bench.queue(), changes).await.expect("it sets limits");
    assert_eq!(limits(bench).await, [(own("a"), at_most(2))], "of two for one scope the last counts");
    bench.store().set_limits(bench.queue(), Vec::new()).await.expect("it sets nothing");
    assert_eq!(limits(bench).await.len(), 1);
}

async fn a_raised_limit_holds_at_once(bench: &Bench) {
    set_each(bench, 1).await;
    put_of(bench, "a", 9).await;
    put_of(bench, "b", 9).await;
    assert_shares!(bench.claim(99).await, ["a", 1], ["b", 1]);
    set_each(bench, 3).await;
    assert_shares!(bench.claim(99).await, ["a", 2], ["b", 2]);
    set(bench, own("a"), at_most(5)).await;
    assert_shares!(bench.claim(99).await, ["a", 2]);
}

async fn a_lowered_limit_ends_no_lease(bench: &Bench) {
    set_each(bench, 4).await;
    put_of(bench, "a", 9).await;
    let held = bench.claim(99).await;
    set_each(bench, 2).await;
    assert_eq!(numbers(bench, "a").await, (4, 5));
    for job in &held[..2] {
        bench.complete(job).await;
        bench.assert_nothing_due().await;
    }
    bench.complete(&held[2]).await;
    assert_eq!(bench.claim(9).await.len(), 1);
    bench.complete(&held[3]).await;
}

async fn a_limit_that_is_taken_away_holds_nobody(bench: &Bench) {
    set_each(bench, 1).await;
    set(bench, own("b"), at_most(2)).await;
    put_of(bench, "a", 4).await;
    put_of(bench, "b", 4).await;
    assert_shares!(bench.claim(99).await, ["a", 1], ["b", 2]);
    set(bench, own("b"), None).await;
    bench.assert_nothing_due().await;
    set(bench, LimitScope::EachPartition, None).await;
    assert_shares!(bench.claim(99).await, ["a", 3], ["b", 2]);
}

async fn a_limit_of_zero_pauses_a_partition(bench: &Bench) {
    set(bench, own("a"), at_most(0)).await;
    put_of(bench, "a", 2).await;
    put_of(bench, "b", 2).await;
    assert_shares!(bench.claim(99).await, ["b", 2]);
    assert_eq!(numbers(bench, "a").await, (0, 2));
    set(bench, own("a"), None).await;
    assert_shares!(bench.claim(99).await, ["a", 2]);
}

async fn its_own_limit_counts_before_that_of_each(bench: &Bench) {
    set_each(bench, 3).await;
    set(bench, own("a"), at_most(1)).await;
    set(bench, own("b"), weighing(1)).await;
    for partition in ["a", "b", "c"] {
        put_of(bench, partition, 9).await;
    }
    assert_shares!(bench.claim(99).await, ["a", 1], ["b", 9], ["c", 3]);
}

async fn a_partition_may_have_a_limit_before_its_first_job(bench: &Bench) {
    set(bench, own("later"), at_most(1)).await;
    assert_eq!(bench.claim(9).await.len(), 0);
    put_of(bench, "later", 3).await;
    assert_eq!(bench.claim(9).await.len(), 1);
}

async fn limits_that_cannot_be_are_refused(bench: &Bench) {
    set_each(bench, 2).await;
    let wrong = [
        (own("a"), weighing(0)),
        (LimitScope::EachPartition, weighing(Limit::WEIGHT_MAX + 1)),
        (LimitScope::Unpartitioned, at_most(1)),
        (LimitScope::Unpartitioned, weighing(0)),
    ];
    for (scope, limit) in wrong {
        let changes = vec![(own("good"), Some(at_most(1))), (scope, Some(limit))];
        let refused = bench.store().set_limits(bench.queue(), changes).await.expect_err("it is refused");
        assert_refused(&refused);
    }
    assert_eq!(limits(bench).await, [(LimitScope::EachPartition, at_most(2))]);
}

async fn one_limit_too_many_is_refused(bench: &Bench) {
    let of_number = |number: usize| (own(&format!("{number}")), Some(at_most(1)));
    let all = (0..Limit::SCOPES_MAX).map(of_number).collect();
    bench.store().set_limits(bench.queue(), all).await.expect("a queue has so many");
    let more = vec![of_number(Limit::SCOPES_MAX)];
    assert_refused(&bench.store().set_limits(bench.queue(), more).await.expect_err("that is one too many"));
    set(bench, own("7"), at_most(2)).await;
    assert_eq!(limits(bench).await.len(), Limit::SCOPES_MAX);
    let none = (0..Limit::SCOPES_MAX).map(|number| (own(&format!("{number}")), None)).collect();
    bench.store().set_limits(bench.queue(), none).await.expect("it takes all away");
    assert_eq!(limits(bench).await, []);
}

async fn limits_and_leases_outlast_a_reopening(bench: &Bench) {
    set_each(bench, 2).await;
    set(bench, own("b"), at_most(1)).await;
    set(bench, own("c"), at_most(5)).await;
    set(bench, own("c"), None).await;
    put_of(bench, "a", 5).await;
    put_of(bench, "b", 5).await;
    let held = bench.claim(99).await;
    assert_eq!(held.len(), 3);
    for _ in 0..2 {
        bench.reopen().await;
        assert_eq!(limits(bench).await, [(LimitScope::EachPartition, at_most(2)), (own("b"), at_most(1))]);
        assert_eq!((numbers(bench, "a").await, numbers(bench, "b").await), ((2, 3), (1, 4)));
        bench.assert_nothing_due().await;
    }
    for job in &held {
        bench.complete(job).await;
    }
    put_from(bench, "b", 5, 1).await;
    assert_shares!(bench.claim(99).await, ["a", 2], ["b", 1]);
}
