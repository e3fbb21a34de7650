//! What a claim leases, and to which worker.

use super::cases;
use crate::bench::prelude::*;
use queue_core::{Budget, Pause, Retention, State, lifecycle::Event};
use std::collections::HashSet;

const MANY: usize = 10_000;

cases! { "claim":
    an_empty_queue_gives_nothing [I2];
    a_claimed_job_comes_with_its_payload [I2];
    a_claimed_job_is_processing_under_a_lease [I3];
    the_answer_is_what_a_read_shows [I20];
    the_token_is_that_of_the_request [I4];
    one_claim_has_one_token_and_the_next_another [I4];
    never_more_than_the_limit [I17];
    fewer_than_the_limit_if_there_are_fewer [I1];
    a_limit_of_zero_claims_nothing [I17];
    a_job_is_given_to_one_worker [I3];
    a_leased_job_is_not_given_again [I3 I23];
    a_job_whose_lease_lapsed_is_given_only_after_its_rescue [I3 I7];
    a_terminal_job_is_never_given [I6];
    a_job_that_is_not_due_is_not_given [I11];
    a_failing_job_is_given_once_it_is_due [I15];
    each_claim_is_a_new_epoch_and_revision [I4];
    the_attempt_counts_what_was_charged [I7];
    the_name_of_the_worker_is_kept [I16];
    a_claim_carries_the_time_of_the_store [I24];
    ten_thousand_due_jobs_are_each_claimed_once_and_in_order [I1 I3 I12 I23];
    claiming_and_completing_one_by_one_drains_the_queue [I1 I15];
    a_claim_leaves_the_other_queues_alone [I3];
}

/// The answer has no jobs and no `next_due`.
async fn an_empty_queue_gives_nothing(bench: &Bench) {
    let claimed = bench.send(bench.request(10)).await;
    assert_eq!((claimed.jobs, claimed.next_due, claimed.pause), (vec![], None, Pause::Off));
}

/// A worker needs no second read before it starts.
async fn a_claimed_job_comes_with_its_payload(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    assert_eq!(held.record.body.expect("a claim gives the body").payload, job("a").payload);
}

/// The record shows the holder and the end of the lease.
async fn a_claimed_job_is_processing_under_a_lease(bench: &Bench) {
    let meta = bench.put_and_claim("a").await.record.meta;
    assert_eq!((meta.state, meta.epoch), (State::Processing, 1));
    let lease = meta.lease.expect("it is leased");
    assert_eq!((lease.worker, lease.expires_at), (worker("worker-1"), bench.now() + LEASE));
}

async fn the_answer_is_what_a_read_shows(bench: &Bench) {
    bench.put_many(5).await;
    for held in bench.claim(5).await {
        assert_eq!(bench.record(held.record.meta.id.as_str()).await, held.record);
    }
}

/// So a caller that lost the answer can still find the jobs by its token.
async fn the_token_is_that_of_the_request(bench: &Bench) {
    bench.put_many(3).await;
    let request = bench.request(3);
    let claimed = bench.send(request.clone()).await;
    let tokens: Vec<_> = claimed.jobs.iter().map(|held| held.token).collect();
    assert_eq!(tokens, [request.token; 3]);
}

async fn one_claim_has_one_token_and_the_next_another(bench: &Bench) {
    bench.put_many(4).await;
    let (first, second) = (bench.claim(2).await, bench.claim(2).await);
    assert_eq!(first[0].token, first[1].token);
    assert_ne!(first[0].token, second[0].token);
}

/// The limits lie around the number of jobs.
async fn never_more_than_the_limit(bench: &Bench) {
    bench.put_many(20).await;
    for limit in [1, 2, 3, 7] {
        assert_eq!(bench.claim(limit).await.len(), limit);
    }
}

async fn fewer_than_the_limit_if_there_are_fewer(bench: &Bench) {
    bench.put_many(3).await;
    assert_eq!(bench.claim(10).await.len(), 3);
    assert_eq!(bench.claim(10).await.len(), 0);
}

/// Such a claim only reads.
async fn a_limit_of_zero_claims_nothing(bench: &Bench) {
    bench.put("a").await;
    let before = bench.record("a").await;
    assert_eq!(bench.claim(0).await.len(), 0);
    assert_eq!(bench.record("a").await, before);
}

async fn a_job_is_given_to_one_worker(bench: &Bench) {
    bench.put_many(10).await;
    let mut seen = HashSet::new();
    for name in ["worker-1", "worker-2", "worker-1", "worker-3"] {
        for text in ids_of(&bench.send(bench.request_of(name, 3, LEASE)).await.jobs) {
            assert!(seen.insert(text.clone()), "{text} was given twice");
        }
    }
    assert_eq!(seen.len(), 10);
}

/// The job is not leased to its own holder again either.
async fn a_leased_job_is_not_given_again(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    for _ in 0..3 {
        bench.assert_nothing_due().await;
        bench.advance(MILLI);
    }
    bench.complete(&held).await;
}

/// A claim decides nothing about stalls.
async fn a_job_whose_lease_lapsed_is_given_only_after_its_rescue(bench: &Bench) {
    bench.put_and_claim("a").await;
    bench.advance(LEASE);
    bench.assert_nothing_due().await;
    assert_eq!(bench.rescue().await.len(), 1);
    assert_eq!(bench.claim_ids(1).await, ["a"]);
}

async fn a_terminal_job_is_never_given(bench: &Bench) {
    let forever = |text: &str| job(text).with_retention(Retention::Forever);
    bench.put_job(forever("completed")).await;
    bench.complete(&bench.claim_one().await).await;
    bench.put_job(forever("failed")).await;
    bench.fail_terminally(&bench.claim_one().await).await;
    bench.put_job(forever("cancelled")).await;
    bench.cancel("cancelled").await;
    bench.assert_nothing_due().await;
    bench.advance(KEPT);
    bench.assert_nothing_due().await;
}

async fn a_job_that_is_not_due_is_not_given(bench: &Bench) {
    bench.put_job(job("later").with_delay(RETRY)).await;
    bench.put("now").await;
    assert_eq!(bench.claim_ids(10).await, ["now"]);
}

/// Failing jobs are as claimable as Queued ones.
async fn a_failing_job_is_given_once_it_is_due(bench: &Bench) {
    bench.fail(&bench.put_and_claim("a").await).await;
    bench.assert_nothing_due().await;
    bench.advance(RETRY);
    let held = bench.claim_one().await;
    assert_eq!((held.record.meta.state, held.record.meta.failures), (State::Processing, 1));
}

/// Both numbers fence.
async fn each_claim_is_a_new_epoch_and_revision(bench: &Bench) {
    bench.put("a").await;
    let mut revision = bench.meta("a").await.revision;
    for epoch in 1..=5 {
        let held = bench.claim_one().await;
        assert_eq!(held.record.meta.epoch, epoch);
        assert!(held.record.meta.revision > revision, "{held:?} has moved on from {revision}");
        revision = bench.release(&held).await.revision;
        assert!(revision > held.record.meta.revision, "{revision} has moved on from {held:?}");
    }
}

/// Failures and stalls raise the number; a release repeats it.
async fn the_attempt_counts_what_was_charged(bench: &Bench) {
    bench.put_job(job("a").with_max_attempts(Budget::Unlimited).with_max_stalls(Budget::Unlimited)).await;
    let mut attempts = Vec::new();
    for step in 0..6 {
        let held = bench.claim_one().await;
        attempts.push(held.record.meta.attempt());
        match step % 3 {
            0 => drop(bench.fail(&held).await),
            1 => drop(bench.release(&held).await),
            _ => {
                bench.advance(LEASE);
                bench.rescue().await;
            }
        }
        bench.advance(STALL);
    }
    assert_eq!(attempts, [1, 2, 2, 3, 4, 4]);
}

/// People look for the worker that caused a problem.
async fn the_name_of_the_worker_is_kept(bench: &Bench) {
    bench.put_many(2).await;
    for name in ["host-a/17", "host-b/42"] {
        let held = bench.send(bench.request_of(name, 1, LEASE)).await.jobs.remove(0);
        let stored = bench.meta(held.record.meta.id.as_str()).await;
        assert_eq!(stored.lease.expect("leased").worker.as_str(), name);
    }
}

/// An empty answer carries it too.
async fn a_claim_carries_the_time_of_the_store(bench: &Bench) {
    for limit in [0, 1] {
        bench.advance(MILLI);
        assert_eq!(bench.send(bench.request(limit)).await.now, bench.now());
    }
}

/// A backlog is worked off from the front, without a gap or a repeat.
async fn ten_thousand_due_jobs_are_each_claimed_once_and_in_order(bench: &Bench) {
    bench.put_many(MANY).await;
    let mut seen = Vec::with_capacity(MANY);
    for _ in 0..MANY {
        let batch = bench.claim(333).await;
        if batch.is_empty() {
            break;
        }
        seen.extend(ids_of(&batch));
    }
    assert!(
        seen.iter().map(String::as_str).eq((0..MANY)
            .map(nth)
            .collect::<Vec<_>>()
            .iter()
            .map(queue_core::JobId::as_str))
    );
    assert_eq!(bench.counts().await.of(State::Processing), MANY as u64);
}

async fn claiming_and_completing_one_by_one_drains_the_queue(bench: &Bench) {
    bench.put_many(50).await;
    for _ in 0..50 {
        let held = bench.claim_one().await;
        bench.complete(&held).await;
    }
    bench.assert_nothing_due().await;
    assert_eq!(bench.counts().await.of(State::Completed), 50);
}

/// Equal ids in other queues are untouched.
async fn a_claim_leaves_the_other_queues_alone(bench: &Bench) {
    let other = bench.on_queue("other");
    bench.put("a").await;
    other.put("a").await;
    assert_eq!(bench.claim_ids(10).await, ["a"]);
    assert_eq!(other.state("a").await, Some(State::Queued));
    other.changed("a", Event::Delete).await;
    assert_eq!(bench.state("a").await, Some(State::Processing));
}
