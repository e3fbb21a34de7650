//! Giving a job back unworked, uncharged.

use super::cases;
use crate::bench::prelude::*;
use queue_core::State;

cases! { "release":
    a_released_job_is_due_at_once [I15 I22];
    nothing_is_charged_however_often [I7 I22];
    a_released_retry_is_failing_still [I7];
    the_fence_moves_on [I4];
    the_time_stays_though_the_clock_went_on [I12 I22];
    a_whole_claim_can_be_given_back_in_order [I12 I22];
    another_worker_may_take_it [I16 I22];
    a_release_keeps_progress [I22];
}

/// A worker that shuts down delays nothing.
async fn a_released_job_is_due_at_once(bench: &Bench) {
    bench.release(&bench.put_and_claim("a").await).await;
    assert_eq!(bench.claim_ids(1).await, ["a"]);
}

/// After a hundred releases the attempt is still the first.
async fn nothing_is_charged_however_often(bench: &Bench) {
    bench.put("a").await;
    for _ in 0..100 {
        let meta = bench.release(&bench.claim_one().await).await;
        assert_eq!((meta.state, meta.failures, meta.stalls, meta.last_error), (State::Queued, 0, 0, None));
    }
    assert_eq!(bench.claim_one().await.record.meta.attempt(), 1);
}

/// Earlier charges stay.
async fn a_released_retry_is_failing_still(bench: &Bench) {
    bench.fail(&bench.put_and_claim("a").await).await;
    bench.advance(RETRY);
    let meta = bench.release(&bench.claim_one().await).await;
    assert_eq!((meta.state, meta.failures), (State::Failing, 1));
}

/// The next holder has a larger epoch.
async fn the_fence_moves_on(bench: &Bench) {
    let first = bench.put_and_claim("a").await;
    bench.release(&first).await;
    let second = bench.claim_one().await;
    assert_eq!(second.record.meta.epoch, first.record.meta.epoch + 1);
    assert_ne!(second.token, first.token);
}

/// The job keeps its due time, and with it its position.
async fn the_time_stays_though_the_clock_went_on(bench: &Bench) {
    bench.put("a").await;
    let run_at = bench.meta("a").await.run_at;
    let held = bench.claim_one().await;
    bench.advance(RETRY);
    assert_eq!(bench.release(&held).await.run_at, run_at);
}

/// A worker gives back jobs that it prefetched and did not start.
async fn a_whole_claim_can_be_given_back_in_order(bench: &Bench) {
    bench.put_many(50).await;
    let held = bench.claim(50).await;
    let back = held.iter().rev().map(|job| decided(&job.record.meta, release(job.token))).collect();
    bench.apply_all(back).await;
    assert_eq!(bench.claim_ids(50).await, (0..50).map(|n| nth(n).to_string()).collect::<Vec<_>>());
}

async fn another_worker_may_take_it(bench: &Bench) {
    bench.release(&bench.put_and_claim("a").await).await;
    let claimed = bench.send(bench.request_of("worker-2", 1, LEASE)).await;
    assert_eq!(claimed.jobs[0].record.meta.lease.as_ref().expect("leased").worker, worker("worker-2"));
}

/// The next attempt can use it.
async fn a_release_keeps_progress(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    let progress = Some(bytes::Bytes::from_static(b"half"));
    let event =
        queue_core::lifecycle::Event::Extend { token: held.token, by: LEASE, progress: progress.clone() };
    bench.settled(&held, event).await;
    assert_eq!(bench.release(&held).await.progress(), progress.as_deref());
    assert_eq!(bench.claim_one().await.record.meta.progress(), progress.as_deref());
}
