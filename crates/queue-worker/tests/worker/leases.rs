//! Leases that are kept, leases that are lost, and how handlers learn of it.

use crate::support::{Fault, Rig, job, millis, router, span};
use queue_core::{
    Applied, ErrorKind, Limits, Prune, PruneRequest, State, Storage,
    lifecycle::{Event, OnProcessing},
};
use queue_worker::{CancelReason, Context, JobError, Router};
use std::sync::{Arc, Mutex};
use tokio::time::{Instant, sleep};

/// The reasons that handlers were given, and how long after their start.
pub(crate) type Told = Arc<Mutex<Vec<(Option<CancelReason>, u128)>>>;

/// A handler that works until it is cancelled, and then completes or fails.
pub(crate) fn until_cancelled(told: &Told, outcome: Result<(), JobError>) -> Router {
    let told = told.clone();
    router(move |_, context: Context| {
        let (told, outcome, started) = (told.clone(), outcome.clone(), Instant::now());
        async move {
            context.cancelled().await;
            let after = started.elapsed().as_millis();
            told.lock().expect("unpoisoned").push((context.cancel_reason(), after));
            outcome
        }
    })
}

pub(crate) fn told(told: &Told) -> Vec<(Option<CancelReason>, u128)> {
    told.lock().expect("unpoisoned").clone()
}

pub(crate) fn sleeping(duration: u64) -> Router {
    router(move |n, _| async move {
        sleep(millis(duration)).await;
        Ok(n)
    })
}

/// A handler that works for a minute past every request to stop, and completes if it was not
/// cancelled.
fn told_nothing() -> Router {
    router(|_, context: Context| async move {
        sleep(millis(60_000)).await;
        Ok(context.cancel_reason().is_none())
    })
}

pub(crate) fn failure() -> JobError {
    JobError::named("Test", "it fails")
}

#[tokio::test(start_paused = true)]
async fn heartbeats_keep_a_long_job_alive_over_many_leases() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let report = rig.drain(rig.worker(told_nothing()).lease(millis(1000))).await;
    assert_eq!((report.completed, report.rescued, report.leases_lost), (1, 0, 0));
    assert_eq!(rig.record("a").await.result().expect("completed").bytes, "true", "it was not told to stop");
    assert_eq!(rig.meta("a").await.stalls, 0);
}

#[tokio::test(start_paused = true)]
async fn prefetched_jobs_are_kept_alive_too() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1), job("b", 2), job("c", 3)]).await;
    let worker = rig.worker(sleeping(5000)).lease(millis(1000)).concurrency(1);
    let report = rig.drain(worker).await;
    assert_eq!((report.started, report.completed, report.rescued), (3, 3, 0));
}

#[tokio::test(start_paused = true)]
async fn all_leases_are_extended_in_one_call_three_times_a_lease() {
    let rig = Rig::new();
    rig.enqueue((0..8).map(|n| job(&n.to_string(), n))).await;
    let running = Rig::start(rig.worker(sleeping(100_000)).lease(millis(3000)));
    sleep(millis(30_000)).await;
    let beats = rig.store.log().heartbeats;
    assert!(beats.iter().all(|&size| size == 8), "{beats:?}");
    assert!((30..=40).contains(&beats.len()), "{} beats in ten leases", beats.len());
    running.stop.cancel();
    running.ended().await;
}

#[tokio::test(start_paused = true)]
async fn a_handler_whose_job_is_gone_is_told_and_its_outcome_changes_nothing() {
    let (rig, seen) = (Rig::new(), Told::default());
    rig.enqueue([job("a", 1)]).await;
    let running = Rig::start(rig.worker(until_cancelled(&seen, Ok(()))).lease(millis(3000)));
    rig.events.wait_for("started a").await;
    let everything = PruneRequest { queue: rig.queue.clone(), what: Prune::Everything, limit: 10 };
    rig.store.prune(everything).await.expect("prunes");
    rig.enqueue([job("a", 2).with_delay(span(1_000_000))]).await;
    rig.events.wait_for("lost a").await;
    assert_eq!(told(&seen)[0].0, Some(CancelReason::LeaseLost));
    assert_eq!(rig.meta("a").await.state, State::Queued, "the next life");
    assert_eq!(running.stop().await.completed, 0);
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_another_worker_took_over_is_lost_here() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    rig.store.script().on_heartbeat = Some(Box::new(|_| Fault::Refuse(ErrorKind::Unavailable)));
    let worker = rig.worker(sleeping(3100)).lease(millis(3000)).concurrency(1).prefetch(0);
    let running = Rig::start(worker.rescue_interval(millis(1_000_000)));
    rig.events.wait_for("started a").await;
    sleep(millis(3050)).await;
    rig.change("a", Event::Lapse).await;
    assert_eq!(rig.claim_elsewhere(1, span(60_000)).await.jobs.len(), 1);
    rig.events.wait_for("lost a").await;
    let meta = rig.meta("a").await;
    assert_eq!((meta.state, meta.epoch, meta.stalls), (State::Processing, 2, 1));
    assert_eq!(meta.lease.expect("leased").worker.as_str(), "elsewhere");
    assert_eq!(running.stop().await.leases_lost, 1);
}

#[tokio::test(start_paused = true)]
async fn a_store_that_refuses_heartbeats_for_a_whole_lease_cancels_the_handler_then() {
    let (rig, seen) = (Rig::new(), Told::default());
    rig.enqueue([job("a", 1)]).await;
    rig.store.script().on_heartbeat = Some(Box::new(|_| Fault::Refuse(ErrorKind::Unavailable)));
    let running = Rig::start(rig.worker(until_cancelled(&seen, Err(failure()))).lease(millis(3000)));
    sleep(millis(3001)).await;
    assert_eq!(told(&seen), [(Some(CancelReason::LeaseLost), 3000)]);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_store_that_answers_no_heartbeat_for_a_whole_lease_cancels_the_handler_then() {
    let (rig, seen) = (Rig::new(), Told::default());
    rig.enqueue([job("a", 1)]).await;
    rig.store.script().on_heartbeat = Some(Box::new(|_| Fault::Hang));
    let running = Rig::start(rig.worker(until_cancelled(&seen, Err(failure()))).lease(millis(3000)));
    sleep(millis(3001)).await;
    assert_eq!(told(&seen), [(Some(CancelReason::LeaseLost), 3000)]);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn heartbeats_go_on_after_one_that_was_never_answered() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let mut beats = 0;
    rig.store.script().on_heartbeat = Some(Box::new(move |_| {
        beats += 1;
        if beats == 1 { Fault::Hang } else { Fault::None }
    }));
    rig.drain(rig.worker(sleeping(60_000)).lease(millis(3000))).await;
    assert!(rig.store.log().heartbeats.len() > 10);
}

#[tokio::test(start_paused = true)]
async fn answers_to_heartbeats_may_be_slow_and_overtake_each_other() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let mut beats = 0;
    rig.store.script().on_heartbeat = Some(Box::new(move |_| {
        beats += 1;
        Fault::Late(millis(if beats % 2 == 1 { 2900 } else { 100 }))
    }));
    let handler = router(|_, context: Context| async move {
        sleep(millis(60_000)).await;
        Ok(context.cancel_reason().is_none())
    });
    rig.drain(rig.worker(handler).lease(millis(3000))).await;
    assert_eq!(rig.record("a").await.result().expect("completed").bytes, "true", "it was not told to stop");
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_fails_after_a_cancel_request_leaves_a_cancelled_job() {
    let (rig, seen) = (Rig::new(), Told::default());
    rig.enqueue([job("a", 1)]).await;
    let running = Rig::start(rig.worker(until_cancelled(&seen, Err(failure()))).lease(millis(3000)));
    rig.events.wait_for("started a").await;
    rig.change("a", Event::Cancel { processing: OnProcessing::Request }).await;
    rig.events.wait_for("cancelled a").await;
    assert_eq!(told(&seen)[0].0, Some(CancelReason::Requested));
    assert!(told(&seen)[0].1 <= 1000, "with the next heartbeat");
    assert_eq!(rig.meta("a").await.state, State::Cancelled);
    assert_eq!(running.stop().await.cancelled, 1);
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_completes_in_spite_of_a_cancel_request_leaves_a_completed_job() {
    let (rig, seen) = (Rig::new(), Told::default());
    rig.enqueue([job("a", 1)]).await;
    let running = Rig::start(rig.worker(until_cancelled(&seen, Ok(()))).lease(millis(3000)));
    rig.events.wait_for("started a").await;
    rig.change("a", Event::Cancel { processing: OnProcessing::Request }).await;
    rig.events.wait_for("completed a").await;
    assert_eq!(told(&seen)[0].0, Some(CancelReason::Requested));
    assert_eq!(rig.meta("a").await.state, State::Completed);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_prefetched_job_whose_cancel_was_asked_for_never_starts() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1), job("b", 2)]).await;
    let running = Rig::start(rig.worker(sleeping(10_000)).lease(millis(3000)).concurrency(1));
    rig.events.wait_for("started a").await;
    rig.change("b", Event::Cancel { processing: OnProcessing::Request }).await;
    rig.events.wait_for("cancelled b").await;
    assert_eq!(rig.events.count("started b"), 0);
    assert_eq!(rig.meta("b").await.state, State::Cancelled);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn progress_is_readable_by_everybody_while_the_job_runs() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let handler = router(|_, context: Context| async move {
        for percent in [10, 20, 99] {
            context.report_progress(&percent)?;
            sleep(millis(2000)).await;
        }
        Ok(())
    });
    let running = Rig::start(rig.worker(handler).lease(millis(3000)));
    for percent in ["10", "20", "99"] {
        sleep(millis(1500)).await;
        assert_eq!(rig.meta("a").await.progress(), Some(percent.as_bytes()));
        sleep(millis(500)).await;
    }
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_job_claimed_again_before_its_release_was_answered_is_still_kept_alive() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    rig.store.script().on_settle = Some(Box::new(|_| Fault::Late(millis(100))));
    let handler = router(|_, context: Context| async move {
        if context.meta().epoch == 1 {
            return Err(JobError::release());
        }
        sleep(millis(30_000)).await;
        Ok(())
    });
    let report = rig.drain(rig.worker(handler).lease(millis(3000))).await;
    assert_eq!((report.completed, report.rescued, report.leases_lost), (1, 0, 0));
}

#[tokio::test(start_paused = true)]
async fn a_store_of_small_batches_is_served_in_small_batches() {
    let rig = Rig::new();
    rig.store.script().limits = Some(Limits { batch_max: 2, ..Limits::default() });
    rig.enqueue((0..7).map(|n| job(&n.to_string(), n))).await;
    rig.claim_elsewhere(2, span(1000)).await;
    rig.claim_elsewhere(1, span(1000)).await;
    let report = rig.drain(rig.worker(sleeping(5000)).lease(millis(3000))).await;
    assert_eq!((report.completed, report.rescued, rig.events.count("error Invalid")), (7, 3, 0));
    let log = rig.store.log();
    assert!(log.heartbeats.iter().chain(&log.settles).chain(&log.claim_limits).all(|&size| size <= 2));
}

/// A transaction of the handler that completes the job does this: the lease lasts, and the next
/// heartbeat comes.
#[tokio::test(start_paused = true)]
async fn a_record_that_was_held_for_a_moment_costs_no_lease() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let mut is_first = true;
    rig.store.script().edit_applied = Some(Box::new(move |answers: &mut Vec<Applied>| {
        if let (true, [Applied::Done(meta)]) = (std::mem::take(&mut is_first), &answers[..]) {
            *answers = vec![Applied::Stale(meta.clone())];
        }
    }));
    rig.drain(rig.worker(told_nothing()).lease(millis(3000))).await;
    assert_eq!(rig.record("a").await.result().expect("completed").bytes, "true", "it was not told to stop");
}
