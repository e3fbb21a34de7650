//! What a store refuses: before it writes anything, and with a clear message.

use super::cases;
use crate::bench::prelude::*;
use queue_core::{
    ClaimedJob, Payload, State,
    lifecycle::{Cause, Event},
};

cases! { "limits":
    the_largest_payload_is_stored [I17 I2];
    one_byte_more_is_refused [I17];
    the_largest_result_is_stored [I17 I13];
    one_byte_more_of_result_is_refused_and_the_lease_stands [I17];
    the_largest_progress_is_stored_and_one_byte_more_refused [I17];
    the_largest_details_are_stored_and_one_byte_more_refused [I17];
    the_largest_enqueue_is_taken [I17 I19];
    one_job_more_is_refused_and_nothing_written [I17 I19];
    jobs_are_counted_across_groups [I17 I19];
    one_payload_that_is_too_large_refuses_the_call [I17 I19];
    one_result_that_is_too_large_refuses_the_batch [I17 I19];
    one_transition_more_is_refused_and_nothing_applied [I17 I19];
    what_follows_counts_into_the_batch [I17 I19];
    a_follower_that_is_too_large_is_refused_with_its_completion [I17 I19];
    the_largest_claim_is_answered_and_one_more_refused [I17];
    an_enqueue_of_too_many_bytes_is_refused_and_nothing_written [I17 I19];
    results_of_too_many_bytes_are_refused_and_nothing_applied [I17 I19];
    refusals_say_what_and_that_nothing_happened [I17];
}

fn limits(bench: &Bench) -> queue_core::Limits {
    bench.store().capabilities().limits
}

/// Bytes that do not compress, so that compression cannot help a store.
fn noise(len: usize) -> Payload {
    let mut state = 0x9E37_79B9_u32;
    let next = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    bytes_payload((0..len).map(next).collect::<Vec<u8>>())
}

async fn the_largest_payload_is_stored(bench: &Bench) {
    let payload = noise(limits(bench).payload_bytes_max);
    bench.put_job(job_with("a", payload.clone())).await;
    assert_eq!(bench.claim_one().await.record.body.expect("given").payload, payload);
}

/// The refusal leaves no trace.
async fn one_byte_more_is_refused(bench: &Bench) {
    let payload = noise(limits(bench).payload_bytes_max + 1);
    assert_refused(&bench.enqueue_refused(vec![vec![job_with("a", payload)]]).await);
    assert_eq!(bench.state("a").await, None);
}

/// The result lies beside a payload just as large.
async fn the_largest_result_is_stored(bench: &Bench) {
    let large = noise(limits(bench).payload_bytes_max);
    bench.put_job(job_with("a", large.clone())).await;
    let held = bench.claim_one().await;
    bench.settled(&held, complete_with(held.token, large.clone())).await;
    assert_eq!(bench.record("a").await.result(), Some(&large));
}

/// The worker can still fail the job.
async fn one_byte_more_of_result_is_refused_and_the_lease_stands(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    let result = noise(limits(bench).payload_bytes_max + 1);
    let sent = decided(&held.record.meta, complete_with(held.token, result));
    assert_refused(&bench.apply_refused(vec![sent]).await);
    assert_eq!(bench.record("a").await, held.record);
    bench.fail_terminally(&held).await;
}

/// The limit of progress is smaller than that of payloads.
async fn the_largest_progress_is_stored_and_one_byte_more_refused(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    let largest = noise(limits(bench).note_bytes_max).bytes;
    let beat =
        |progress: bytes::Bytes| Event::Extend { token: held.token, by: LEASE, progress: Some(progress) };
    bench.settled(&held, beat(largest.clone())).await;
    let more = noise(limits(bench).note_bytes_max + 1).bytes;
    assert_refused(&bench.apply_refused(vec![decided(&held.record.meta, beat(more))]).await);
    assert_eq!(bench.meta("a").await.progress(), Some(&largest[..]));
}

/// The details are tried with a retry and with a final failure.
async fn the_largest_details_are_stored_and_one_byte_more_refused(bench: &Bench) {
    for cause in [Cause::Retryable, Cause::Terminal] {
        let text = format!("{cause:?}");
        let held = bench.put_and_claim(&text).await;
        let with = |len: usize| Event::Fail {
            token: held.token,
            failure: failure().with_details(noise(len).bytes),
            cause,
            delay: None,
            retention: None,
            then: Vec::new(),
        };
        let most = limits(bench).note_bytes_max;
        assert_refused(&bench.apply_refused(vec![decided(&held.record.meta, with(most + 1))]).await);
        bench.settled(&held, with(most)).await;
        let body = bench.record(&text).await.body.expect("asked for");
        assert_eq!(body.error_details, Some(noise(most).bytes));
    }
}

/// The jobs are in one group.
async fn the_largest_enqueue_is_taken(bench: &Bench) {
    let most = limits(bench).batch_max;
    let answers = bench.enqueue_groups(vec![jobs(most)]).await;
    let new = answers[0].iter().filter(|answer| answer.is_new()).count();
    assert_eq!((new, answers[0].len()), (most, most), "new ones, and answers");
}

/// The jobs that would fit are not written either.
async fn one_job_more_is_refused_and_nothing_written(bench: &Bench) {
    assert_refused(&bench.enqueue_refused(vec![jobs(limits(bench).batch_max + 1)]).await);
    assert_eq!(bench.counts().await.total(), 0);
}

/// Splitting the jobs into groups does not help.
async fn jobs_are_counted_across_groups(bench: &Bench) {
    let groups = jobs(limits(bench).batch_max + 1).into_iter().map(|new| vec![new]).collect();
    assert_refused(&bench.enqueue_refused(groups).await);
    assert_eq!(bench.counts().await.total(), 0);
}

/// The refusal covers the groups without that payload too.
async fn one_payload_that_is_too_large_refuses_the_call(bench: &Bench) {
    let large = job_with("large", noise(limits(bench).payload_bytes_max + 1));
    assert_refused(&bench.enqueue_refused(vec![vec![job("a")], vec![job("b"), large, job("c")]]).await);
    assert_eq!(bench.counts().await.total(), 0);
}

/// So a worker compares results with the limit before it sends them.
async fn one_result_that_is_too_large_refuses_the_batch(bench: &Bench) {
    bench.put_many(2).await;
    let held = bench.claim(2).await;
    let large = noise(limits(bench).payload_bytes_max + 1);
    let batch = vec![
        decided(&held[0].record.meta, complete(held[0].token)),
        decided(&held[1].record.meta, complete_with(held[1].token, large)),
    ];
    assert_refused(&bench.apply_refused(batch).await);
    assert_eq!(bench.counts().await.of(State::Processing), 2);
}

async fn one_transition_more_is_refused_and_nothing_applied(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    let done = decided(&held.record.meta, complete(held.token));
    let most = limits(bench).batch_max;
    assert_refused(&bench.apply_refused(vec![done.clone(); most + 1]).await);
    assert_eq!(bench.record("a").await, held.record);
    assert_done!(bench.apply_all(vec![done; most]).await);
}

/// Otherwise a batch could grow without a bound.
async fn what_follows_counts_into_the_batch(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    let most = limits(bench).batch_max;
    let then = |n: usize| {
        decided(
            &held.record.meta,
            complete_then(held.token, (0..n).map(|n| job(&format!("then-{n}"))).collect()),
        )
    };
    assert_refused(&bench.apply_refused(vec![then(most)]).await);
    assert_eq!(bench.counts().await.total(), 1);
    assert_done!([bench.apply(then(most - 1)).await]);
    assert_eq!(bench.counts().await.total(), most as u64);
}

async fn a_follower_that_is_too_large_is_refused_with_its_completion(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    let large = job_with("large", noise(limits(bench).payload_bytes_max + 1));
    let sent = decided(&held.record.meta, complete_then(held.token, vec![job("fits"), large]));
    assert_refused(&bench.apply_refused(vec![sent]).await);
    assert_eq!(bench.record("a").await, held.record);
    assert_eq!(bench.state("fits").await, None);
}

/// A refused claim leases nothing.
async fn the_largest_claim_is_answered_and_one_more_refused(bench: &Bench) {
    bench.put_many(3).await;
    let most = limits(bench).batch_max;
    let refused = bench.store().claim(bench.request(most + 1)).await.expect_err("it is too much");
    assert_refused(&refused);
    assert_eq!(bench.counts().await.of(State::Queued), 3);
    assert_eq!(bench.claim(most).await.len(), 3);
}

/// The number of largest payloads that exceeds one call.
fn too_many(bench: &Bench) -> usize {
    limits(bench).call_bytes_max / limits(bench).payload_bytes_max + 1
}

/// The limit counts bytes over all jobs and groups of a call.
async fn an_enqueue_of_too_many_bytes_is_refused_and_nothing_written(bench: &Bench) {
    let payload = noise(limits(bench).payload_bytes_max);
    let jobs: Vec<_> = (0..too_many(bench)).map(|n| job_with(nth(n).as_str(), payload.clone())).collect();
    assert_refused(&bench.enqueue_refused(jobs.iter().map(|job| vec![job.clone()]).collect()).await);
    assert_refused(&bench.enqueue_refused(vec![jobs]).await);
    assert_eq!(bench.counts().await.total(), 0);
}

/// So a caller that merges the results of several jobs has to count their bytes.
async fn results_of_too_many_bytes_are_refused_and_nothing_applied(bench: &Bench) {
    bench.put_many(too_many(bench)).await;
    let held = bench.claim(too_many(bench)).await;
    let result = noise(limits(bench).payload_bytes_max);
    let settle = |job: &ClaimedJob| decided(&job.record.meta, complete_with(job.token, result.clone()));
    assert_refused(&bench.apply_refused(held.iter().map(settle).collect()).await);
    assert_eq!(bench.counts().await.of(State::Processing), held.len() as u64);
}

async fn refusals_say_what_and_that_nothing_happened(bench: &Bench) {
    let refused =
        bench.enqueue_refused(vec![vec![job_with("a", noise(limits(bench).payload_bytes_max + 1))]]).await;
    assert!(!refused.message().is_empty() && !refused.is_transient(), "{refused:?}");
    assert_eq!(refused.operation(), "enqueue");
}
