//! A slot is a lease: taken by a claim, and free in the step that ends the lease.

use super::{assert_shares, numbers, of, put_of, set_each};
use crate::{
    bench::prelude::*,
    cases::{cases, together::together},
};
use queue_core::{
    Applied, Changed, ClaimRequest, Prune, Span, State,
    lifecycle::{Event, OnProcessing},
};

cases! { "slots":
    no_more_jobs_of_a_partition_are_leased_than_its_limit [I25] (Partitions);
    claims_sent_together_take_each_slot_once [I25 I3] (Partitions);
    each_settle_frees_one_slot [I25 I15] (Partitions);
    a_settle_that_is_sent_again_frees_no_second_slot [I25 I5] (Partitions);
    a_settle_without_the_lease_frees_none [I25 I4] (Partitions);
    a_lapsed_lease_holds_its_slot_until_it_is_rescued [I25 I15] (Partitions);
    an_extended_lease_holds_its_slot [I25] (Partitions);
    a_job_that_waits_for_its_next_attempt_holds_none [I25] (Partitions);
    a_job_that_waits_behind_its_gate_holds_none [I25 I29] (Partitions Gates);
    a_request_to_stop_frees_none [I25 I10] (Partitions);
    a_removed_job_frees_its_slot [I25 I15] (Partitions);
    followers_wait_for_a_slot_of_their_own [I25] (Partitions);
    jobs_without_a_partition_need_none [I25] (Partitions);
    a_queue_does_not_know_the_partitions_of_another [I25] (Partitions);
    handles_share_the_slots [I25] (Partitions SecondHandle);
}

async fn no_more_jobs_of_a_partition_are_leased_than_its_limit(bench: &Bench) {
    for running in [1, 2, 5] {
        let bench = bench.on_queue(&format!("limit-{running}"));
        set_each(&bench, running).await;
        put_of(&bench, "a", 9).await;
        put_of(&bench, "b", 9).await;
        let most = running as usize;
        assert_shares!(bench.claim(99).await, ["a", most], ["b", most]);
        bench.assert_nothing_due().await;
        assert_eq!(numbers(&bench, "a").await, (u64::from(running), 9 - u64::from(running)));
    }
}

/// Each third claim takes no job of a partition with a limit.
async fn claims_sent_together_take_each_slot_once(bench: &Bench) {
    set_each(bench, 2).await;
    for partition in ["a", "b", "c"] {
        put_of(bench, partition, 4).await;
    }
    bench.put_many(4).await;
    let request = |n: usize| match n % 3 {
        2 => ClaimRequest { limited_max: 0, ..bench.request(2) },
        _ => bench.request(1),
    };
    let answers = together(bench, (0..12).map(request).collect()).await;
    let mut leased = Vec::new();
    for (n, answer) in answers.into_iter().enumerate() {
        assert!(answer.jobs.len() <= request(n).limit);
        let is_limited = answer.jobs.iter().any(|job| job.record.meta.partition.is_some());
        assert!(n % 3 != 2 || !is_limited, "it wants no limited job");
        leased.extend(answer.jobs);
    }
    leased.extend(bench.claim(99).await);
    assert_shares!(leased, ["a", 2], ["b", 2], ["c", 2], ["", 4]);
    bench.assert_nothing_due().await;
}

async fn each_settle_frees_one_slot(bench: &Bench) {
    for (number, settle) in SETTLES.into_iter().enumerate() {
        let bench = bench.on_queue(&format!("settle-{number}"));
        set_each(&bench, 1).await;
        put_of(&bench, "a", 3).await;
        let held = bench.claim_one().await;
        bench.assert_nothing_due().await;
        bench.settled(&held, settle(held.token)).await;
        assert_eq!(bench.claim(9).await.len(), 1);
        bench.assert_nothing_due().await;
    }
}

async fn a_settle_that_is_sent_again_frees_no_second_slot(bench: &Bench) {
    set_each(bench, 2).await;
    put_of(bench, "a", 5).await;
    let held = bench.claim(9).await;
    let settle = decided(&held[0].record.meta, complete(held[0].token));
    assert!(matches!(bench.apply(settle.clone()).await, Applied::Done(_)));
    assert!(matches!(bench.apply(settle).await, Applied::Done(_)));
    assert_eq!(numbers(bench, "a").await, (1, 3));
    assert_eq!(bench.claim_ids(9).await, ["a2"]);
}

async fn a_settle_without_the_lease_frees_none(bench: &Bench) {
    set_each(bench, 1).await;
    put_of(bench, "a", 2).await;
    let first = bench.claim_one().await;
    bench.advance(LEASE);
    bench.rescue().await;
    let second = bench.claim_one().await;
    let late = bench.settle(&first, complete(first.token)).await;
    assert!(!matches!(late, Changed::Done(_)), "{late:?}");
    bench.assert_nothing_due().await;
    assert_eq!(numbers(bench, "a").await, (1, 1));
    bench.complete(&second).await;
}

async fn a_lapsed_lease_holds_its_slot_until_it_is_rescued(bench: &Bench) {
    set_each(bench, 1).await;
    put_of(bench, "a", 2).await;
    let held = bench.claim_one().await;
    let lapse = held.record.meta.lease.as_ref().expect("it is leased").expires_at;
    assert_eq!(bench.next_due().await, Some(lapse), "the lapse, and not the job that is blocked");
    bench.advance(LEASE);
    bench.assert_nothing_due().await;
    assert_eq!(bench.rescue().await.len(), 1);
    assert_eq!(bench.claim(9).await.len(), 1);
}

async fn an_extended_lease_holds_its_slot(bench: &Bench) {
    set_each(bench, 1).await;
    put_of(bench, "a", 2).await;
    let held = bench.claim_one().await;
    for _ in 0..3 {
        bench.advance(Span::from_secs(20));
        bench.settled(&held, extend(held.token, LEASE)).await;
        bench.assert_nothing_due().await;
    }
    assert_eq!(numbers(bench, "a").await, (1, 1));
}

async fn a_job_that_waits_for_its_next_attempt_holds_none(bench: &Bench) {
    set_each(bench, 1).await;
    put_of(bench, "a", 2).await;
    let held = bench.claim_one().await;
    bench.fail(&held).await;
    the_other_runs_while_the_first_waits(bench).await;
}

async fn a_job_that_waits_behind_its_gate_holds_none(bench: &Bench) {
    set_each(bench, 1).await;
    put_of(bench, "a", 2).await;
    let held = bench.claim_one().await;
    let suspend = Event::Suspend {
        token: held.token,
        needs: Some(1),
        seals: false,
        heeds_urgent: false,
        timeout: Some(RETRY),
        progress: None,
        then: Vec::new(),
    };
    bench.settled(&held, suspend).await;
    the_other_runs_while_the_first_waits(bench).await;
}

/// `a0` waits for [`RETRY`]: its slot is `a1`'s, and `a0` that is due again waits for that slot.
async fn the_other_runs_while_the_first_waits(bench: &Bench) {
    let next = bench.claim_one().await;
    assert_eq!(next.record.meta.id, id("a1"));
    bench.advance(RETRY);
    bench.assert_nothing_due().await;
    bench.complete(&next).await;
    assert_eq!(bench.claim_ids(9).await, ["a0"]);
}

async fn a_request_to_stop_frees_none(bench: &Bench) {
    set_each(bench, 1).await;
    put_of(bench, "a", 2).await;
    let held = bench.claim_one().await;
    bench.changed("a0", Event::Cancel { processing: OnProcessing::Request }).await;
    bench.assert_nothing_due().await;
    assert_eq!(bench.settled(&held, release(held.token)).await.state, State::Cancelled);
    assert_eq!(bench.claim_ids(9).await, ["a1"]);
}

async fn a_removed_job_frees_its_slot(bench: &Bench) {
    set_each(bench, 1).await;
    put_of(bench, "a", 2).await;
    assert_eq!(bench.claim_ids(9).await, ["a0"]);
    bench.prune(Prune::Everything, 1).await;
    assert_eq!(bench.claim_ids(9).await.len(), 1);
    bench.prune(Prune::Everything, 9).await;
    put_of(bench, "a", 2).await;
    assert_eq!(bench.claim_ids(9).await.len(), 1);
}

async fn followers_wait_for_a_slot_of_their_own(bench: &Bench) {
    set_each(bench, 1).await;
    put_of(bench, "a", 1).await;
    let held = bench.claim_one().await;
    bench.settled(&held, complete_then(held.token, vec![of("a", 1), of("a", 2), of("b", 0)])).await;
    assert_shares!(bench.claim(9).await, ["a", 1], ["b", 1]);
    bench.assert_nothing_due().await;
}

async fn jobs_without_a_partition_need_none(bench: &Bench) {
    set_each(bench, 1).await;
    bench.put_many(7).await;
    put_of(bench, "a", 2).await;
    assert_shares!(bench.claim(99).await, ["", 7], ["a", 1]);
}

async fn a_queue_does_not_know_the_partitions_of_another(bench: &Bench) {
    let other = bench.on_queue("another");
    set_each(bench, 1).await;
    for bench in [bench, &other] {
        put_of(bench, "a", 3).await;
    }
    assert_eq!(bench.claim(9).await.len(), 1);
    assert_eq!(other.claim(9).await.len(), 3);
    assert_eq!((numbers(bench, "a").await, numbers(&other, "a").await), ((1, 2), (3, 0)));
}

async fn handles_share_the_slots(bench: &Bench) {
    let other = bench.second().await;
    set_each(bench, 3).await;
    put_of(bench, "a", 9).await;
    let held = bench.claim(2).await;
    assert_eq!(other.claim(9).await.len(), 1);
    bench.assert_nothing_due().await;
    bench.complete(&held[0]).await;
    assert_eq!(other.claim(9).await.len(), 1);
    set_each(&other, 1).await;
    bench.complete(&held[1]).await;
    bench.assert_nothing_due().await;
}
