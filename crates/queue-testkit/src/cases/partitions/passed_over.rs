//! What claims step over: full partitions, jobs that they may have no more of, paused kinds, and
//! jobs that are not due.

use super::{assert_shares, at_most, key, numbers, of, own, put_of, set, set_each};
use crate::{
    bench::prelude::*,
    cases::{
        cases,
        events::listen::{subscribe, woken},
        kind_pause::{of_kind, resume, stop},
    },
};
use queue_core::{ClaimRequest, Interest, LimitScope, NewJob, Pause, Span, lifecycle::Event};

cases! { "passed_over":
    full_partitions_are_stepped_over [I25 I16] (Partitions);
    a_full_partition_promises_no_job [I25 I15] (Partitions);
    a_partition_with_a_slot_promises_its_job_now [I15] (Partitions);
    a_delayed_job_of_a_partition_is_promised_for_its_time [I11 I15] (Partitions);
    a_claim_gets_no_more_limited_jobs_than_it_asks_for [I25] (Partitions);
    a_claim_of_no_limited_jobs_gets_others [I25] (Partitions);
    a_partition_without_a_number_is_not_limited [I25] (Partitions);
    what_a_claim_has_no_bytes_for_takes_no_slot [I25] (Partitions);
    a_claim_of_nothing_takes_no_slot_and_no_turn [I25 I26] (Partitions);
    the_end_of_a_lease_wakes_for_the_job_that_it_blocked [I15 I25] (Partitions Hints);
    a_raised_limit_wakes [I15 I25] (Partitions Hints);
    a_job_of_a_paused_kind_takes_no_slot [I25 I12] (Partitions Pause);
    a_resumed_kind_comes_back_to_its_partitions [I12 I15] (Partitions Pause);
    a_paused_queue_takes_no_slot [I25] (Partitions Pause);
    a_gated_job_is_in_no_line_until_its_gate_opens [I25 I29] (Partitions Gates);
    a_delayed_job_takes_its_turn_once_it_is_due [I11 I25] (Partitions);
    a_job_that_is_put_off_leaves_its_place [I11 I25] (Partitions);
    a_promoted_job_waits_for_a_slot [I25] (Partitions);
    a_redriven_job_waits_for_a_slot [I25] (Partitions);
    a_cancelled_job_leaves_its_place_to_the_next [I25 I10] (Partitions);
    many_full_partitions_hold_up_nobody [I25 I16] (Partitions);
}

async fn full_partitions_are_stepped_over(bench: &Bench) {
    set_each(bench, 1).await;
    for partition in ["a", "b", "c"] {
        put_of(bench, partition, 5).await;
    }
    let held = bench.claim(2).await;
    assert_eq!(bench.claim(99).await.len(), 1);
    bench.complete(&held[0]).await;
    let next = bench.claim(99).await;
    assert_eq!(next.len(), 1);
    assert_eq!(next[0].record.meta.partition, held[0].record.meta.partition);
}

async fn a_full_partition_promises_no_job(bench: &Bench) {
    set(bench, own("a"), at_most(0)).await;
    put_of(bench, "a", 5).await;
    assert_eq!(bench.next_due().await, None);
    let claimed = bench.send(bench.request(9)).await;
    assert_eq!((claimed.jobs.len(), claimed.next_due), (0, None));
    assert_eq!(bench.counts().await.due(), 5, "they are due all the same");
}

async fn a_partition_with_a_slot_promises_its_job_now(bench: &Bench) {
    set_each(bench, 2).await;
    put_of(bench, "a", 5).await;
    for expected in [true, true, false] {
        let due = bench.next_due().await.expect("a job or a lapse");
        assert_eq!(due <= bench.now(), expected);
        bench.claim(1).await;
    }
}

async fn a_delayed_job_of_a_partition_is_promised_for_its_time(bench: &Bench) {
    bench.put_job(of("a", 0).with_delay(RETRY)).await;
    assert_eq!(bench.next_due().await, Some(bench.now() + RETRY));
    bench.assert_nothing_due().await;
    bench.advance(RETRY);
    assert_eq!(bench.claim_ids(9).await, ["a0"]);
}

async fn a_claim_gets_no_more_limited_jobs_than_it_asks_for(bench: &Bench) {
    set_each(bench, 5).await;
    put_of(bench, "a", 5).await;
    put_of(bench, "b", 5).await;
    bench.put_many(3).await;
    let claimed = bench.send(limited(bench, 9, 3)).await;
    let of_none = claimed.jobs.iter().filter(|job| job.record.meta.partition.is_none()).count();
    assert_eq!((claimed.jobs.len(), of_none), (6, 3));
    assert!(claimed.kept_back && claimed.next_due.is_some_and(|due| due <= claimed.now));
    let claimed = bench.send(limited(bench, 2, 9)).await;
    assert_eq!((claimed.jobs.len(), claimed.kept_back), (2, false), "the limit counts too");
    let claimed = bench.send(limited(bench, 9, 9)).await;
    assert_eq!((claimed.jobs.len(), claimed.kept_back), (5, false));
    assert!(!bench.send(limited(bench, 9, 0)).await.kept_back, "full partitions keep theirs back");
}

async fn a_claim_of_no_limited_jobs_gets_others(bench: &Bench) {
    set(bench, own("a"), at_most(5)).await;
    put_of(bench, "a", 2).await;
    put_of(bench, "free", 2).await;
    bench.put_job(job("plain").with_priority(7)).await;
    assert_shares!(bench.send(limited(bench, 9, 0)).await.jobs, ["free", 2], ["", 1]);
    let claimed = bench.send(limited(bench, 9, 0)).await;
    assert_eq!((claimed.jobs.len(), claimed.kept_back), (0, true));
    assert_eq!(numbers(bench, "a").await, (0, 2));
}

async fn a_partition_without_a_number_is_not_limited(bench: &Bench) {
    set(bench, LimitScope::EachPartition, super::weighing(3)).await;
    put_of(bench, "a", 3).await;
    assert_eq!(bench.send(limited(bench, 9, 0)).await.jobs.len(), 3);
}

async fn what_a_claim_has_no_bytes_for_takes_no_slot(bench: &Bench) {
    set_each(bench, 2).await;
    put_of(bench, "a", 3).await;
    let claimed = bench.send(ClaimRequest { bytes_max: 1, ..bench.request(9) }).await;
    assert_eq!(claimed.jobs.len(), 1, "at least one job fits");
    assert!(claimed.next_due.is_some_and(|due| due <= claimed.now));
    assert_eq!(numbers(bench, "a").await, (1, 2));
    assert_eq!(bench.claim(9).await.len(), 1);
}

async fn a_claim_of_nothing_takes_no_slot_and_no_turn(bench: &Bench) {
    set_each(bench, 9).await;
    put_of(bench, "a", 4).await;
    put_of(bench, "b", 4).await;
    for _ in 0..5 {
        bench.next_due().await;
    }
    assert_shares!(bench.claim(4).await, ["a", 2], ["b", 2]);
}

async fn the_end_of_a_lease_wakes_for_the_job_that_it_blocked(bench: &Bench) {
    set_each(bench, 1).await;
    put_of(bench, "a", 2).await;
    let held = bench.claim_one().await;
    let mut hints = subscribe(bench, Interest::Wake).await;
    bench.complete(&held).await;
    woken(&mut hints).await;
    assert_eq!(bench.claim(9).await.len(), 1);
}

async fn a_raised_limit_wakes(bench: &Bench) {
    set_each(bench, 1).await;
    put_of(bench, "a", 2).await;
    bench.claim(9).await;
    let mut hints = subscribe(bench, Interest::Wake).await;
    set_each(bench, 2).await;
    woken(&mut hints).await;
    assert_eq!(bench.claim(9).await.len(), 1);
}

async fn a_job_of_a_paused_kind_takes_no_slot(bench: &Bench) {
    set_each(bench, 1).await;
    bench.put_job(of_key("a", "mail", "m0")).await;
    bench.put_job(of_key("a", "report", "r1")).await;
    bench.put_job(of_key("a", "mail", "m2")).await;
    stop(bench, "mail").await;
    assert_eq!(bench.claim_ids(9).await, ["r1"]);
    assert_eq!(numbers(bench, "a").await, (1, 2));
    bench.assert_nothing_due().await;
    let held = bench.page(queue_core::ListQuery::new(bench.queue().clone(), queue_core::Walk::Due, 9)).await;
    assert_eq!(held.jobs.len(), 2, "they are due all the same");
}

async fn a_resumed_kind_comes_back_to_its_partitions(bench: &Bench) {
    set_each(bench, 1).await;
    for partition in ["a", "b"] {
        bench.put_job(of_key(partition, "mail", &format!("{partition}-m"))).await;
        bench.put_job(of_key(partition, "report", &format!("{partition}-r"))).await;
    }
    stop(bench, "mail").await;
    let held = bench.claim(9).await;
    assert_eq!(held.len(), 2);
    assert!(held.iter().all(|job| job.record.meta.kind.as_str() == "report"));
    bench.assert_nothing_due().await;
    resume(bench, "mail").await;
    bench.assert_nothing_due().await;
    bench.complete(&held[0]).await;
    assert_eq!(bench.claim(9).await.len(), 1);
    bench.complete(&held[1]).await;
    assert_eq!(bench.claim(9).await.len(), 1);
    // Where nothing else happens, too.
    let bench = bench.on_queue("alone");
    stop(&bench, "mail").await;
    bench.put_job(of_key("a", "mail", "m")).await;
    bench.assert_nothing_due().await;
    resume(&bench, "mail").await;
    assert_eq!(bench.claim_ids(9).await, ["m"]);
}

async fn a_paused_queue_takes_no_slot(bench: &Bench) {
    set_each(bench, 1).await;
    put_of(bench, "a", 2).await;
    bench.store().set_paused(bench.queue(), None, Pause::UntilResumed).await.expect("it pauses");
    assert_eq!(bench.claim(9).await.len(), 0);
    assert_eq!(numbers(bench, "a").await, (0, 2));
    bench.store().set_paused(bench.queue(), None, Pause::Off).await.expect("it resumes");
    assert_eq!(bench.claim(9).await.len(), 1);
}

async fn a_gated_job_is_in_no_line_until_its_gate_opens(bench: &Bench) {
    set_each(bench, 1).await;
    let gate = queue_core::NewGate { needs: 1, is_sealed: true, timeout: None };
    bench.put_job(of("a", 0).with_gate(gate)).await;
    bench.put_job(of("a", 1)).await;
    let held = bench.claim_one().await;
    assert_eq!((held.record.meta.id.as_str(), numbers(bench, "a").await), ("a1", (1, 1)));
    bench.changed("a0", Event::Promote).await;
    bench.assert_nothing_due().await;
    bench.complete(&held).await;
    assert_eq!(bench.claim_ids(9).await, ["a0"]);
}

async fn a_delayed_job_takes_its_turn_once_it_is_due(bench: &Bench) {
    set_each(bench, 1).await;
    bench.put_job(of("a", 0).with_priority(-1).with_delay(RETRY)).await;
    bench.put_job(of("a", 1)).await;
    let held = bench.claim_one().await;
    assert_eq!(held.record.meta.id, id("a1"));
    bench.advance(RETRY);
    bench.assert_nothing_due().await;
    bench.complete(&held).await;
    assert_eq!(bench.claim_ids(9).await, ["a0"]);
}

async fn a_job_that_is_put_off_leaves_its_place(bench: &Bench) {
    set_each(bench, 1).await;
    put_of(bench, "a", 2).await;
    bench.changed("a0", Event::Reschedule { delay: RETRY }).await;
    assert_eq!(bench.claim_ids(9).await, ["a1"]);
    bench.advance(Span::from_millis(RETRY.as_millis()));
    bench.assert_nothing_due().await;
}

async fn a_promoted_job_waits_for_a_slot(bench: &Bench) {
    set_each(bench, 1).await;
    put_of(bench, "a", 1).await;
    bench.put_job(of("a", 1).with_delay(KEPT)).await;
    let held = bench.claim_one().await;
    bench.changed("a1", Event::Promote).await;
    bench.assert_nothing_due().await;
    bench.complete(&held).await;
    assert_eq!(bench.claim_ids(9).await, ["a1"]);
}

async fn a_redriven_job_waits_for_a_slot(bench: &Bench) {
    set_each(bench, 1).await;
    put_of(bench, "a", 2).await;
    let held = bench.claim_one().await;
    bench.fail_terminally(&held).await;
    let next = bench.claim_one().await;
    bench.changed("a0", Event::Redrive { content_type: None }).await;
    bench.assert_nothing_due().await;
    bench.complete(&next).await;
    assert_eq!(bench.claim_ids(9).await, ["a0"]);
}

async fn a_cancelled_job_leaves_its_place_to_the_next(bench: &Bench) {
    set_each(bench, 1).await;
    put_of(bench, "a", 3).await;
    bench.cancel("a0").await;
    assert_eq!(bench.claim_ids(9).await, ["a1"]);
    bench.cancel("a2").await;
    assert_eq!(numbers(bench, "a").await, (1, 0));
}

/// A claim that looked at each blocked job would take long here; it is not timed.
async fn many_full_partitions_hold_up_nobody(bench: &Bench) {
    const PARTITIONS: usize = 300;
    set_each(bench, 1).await;
    let jobs = (0..PARTITIONS).flat_map(|n| [0, 1].map(|number| of(&format!("p{n}-"), number))).collect();
    bench.enqueue_groups(vec![jobs]).await;
    let held = bench.claim(PARTITIONS).await;
    assert_eq!(held.len(), PARTITIONS);
    assert_eq!(bench.next_due().await, held[0].record.meta.lease.as_ref().map(|lease| lease.expires_at));
    put_of(bench, "late", 1).await;
    assert_eq!(bench.claim_ids(9).await, ["late0"]);
    bench.complete(&held[PARTITIONS / 2]).await;
    let next = bench.claim_one().await;
    assert_eq!(next.record.meta.partition, held[PARTITIONS / 2].record.meta.partition);
}

fn of_key(partition: &str, kind: &str, text: &str) -> NewJob {
    of_kind(kind, text).with_partition(key(partition))
}

fn limited(bench: &Bench, limit: usize, limited_max: usize) -> ClaimRequest {
    ClaimRequest { limited_max, ..bench.request(limit) }
}
