//! A worker that was stopped for longer than a lease, and handlers that continue after their lease
//! was lost.

use crate::{
    blocking::{blocked, pass, started},
    support::{Fault, Rig, Starts, job, millis, router, times_ms},
};
use queue_core::{ErrorKind, lifecycle::Patch};
use queue_worker::Router;
use tokio::time::{advance, sleep};

/// A handler that blocks the runtime for the first time, and then works for the second.
fn blocking_the_runtime(blocks: u64, works: u64) -> Router {
    router(move |_, _| async move {
        advance(millis(blocks)).await;
        sleep(millis(works)).await;
        Ok(())
    })
}

#[tokio::test(start_paused = true)]
async fn a_worker_whose_runtime_was_blocked_runs_no_job_beside_itself() {
    for prefetch in [0, 2] {
        let rig = Rig::new();
        rig.enqueue([job("a", 1), job("b", 2), job("c", 3)]).await;
        let worker = rig.worker(blocking_the_runtime(20_000, 2500)).lease(millis(3000)).concurrency(1);
        let report = rig.drain(worker.prefetch(prefetch).rescue_interval(millis(500))).await;
        assert_eq!((report.started, report.completed, report.rescued), (3, 3, 0), "{:?}", rig.events.trace());
        assert_eq!(rig.meta("a").await.stalls, 0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_runtime_that_was_blocked_past_a_lease_is_reported_and_a_shorter_time_is_not() {
    for (blocks, is_reported) in [(2900, false), (20_000, true)] {
        let rig = Rig::new();
        rig.enqueue([job("a", 1)]).await;
        let worker = rig.worker(blocking_the_runtime(blocks, 100)).lease(millis(3000));
        rig.drain(worker).await;
        // The look was due a third of the lease after the start.
        assert_eq!(rig.events.count("blocked 19000"), usize::from(is_reported), "{:?}", rig.events.labels());
        assert_eq!(rig.events.labels().len(), 2 + usize::from(is_reported), "{:?}", rig.events.labels());
    }
}

#[tokio::test(start_paused = true)]
async fn a_handler_whose_lease_lapsed_has_the_grace_and_then_its_job_is_rescued() {
    let (rig, starts) = (Rig::new(), Starts::default());
    rig.enqueue([job("a", 1)]).await;
    rig.store.script().on_heartbeat = Some(Box::new(|_| Fault::Hang));
    let deaf = starts.router(|_| 3_600_000);
    let worker = rig.worker(deaf).lease(millis(3000)).grace(millis(2000)).rescue_interval(millis(100));
    let running = Rig::start(worker.drain_deadline(millis(0)));
    rig.events.wait_for("stalled a").await;
    let rescued_at = rig.events.times_of("stalled a")[0];
    assert!((5000..=5200).contains(&rescued_at), "after lease and grace, not at {rescued_at}");
    rig.events.wait_for_count("started a", 2).await;
    assert_eq!(rig.events.count("lost a"), 1, "{:?}", rig.events.trace());
    assert_eq!((rig.meta("a").await.stalls, times_ms(&starts.all()).len()), (1, 2));
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_blocking_handler_that_never_returns_keeps_its_job_for_one_more_lease() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    rig.store.script().on_heartbeat = Some(Box::new(|_| Fault::Hang));
    let (router, has_started, answer) = blocked();
    let worker = rig.worker(router).lease(millis(900)).grace(millis(500)).rescue_interval(millis(100));
    let running = Rig::start(worker);
    started(&has_started).await;
    pass(2290).await;
    assert_eq!(rig.events.labels(), ["started a"], "it may still settle it");
    pass(200).await;
    assert_eq!(rig.events.count("stalled a"), 1);
    rig.store.script().on_heartbeat = None;
    started(&has_started).await;
    for _ in 0..2 {
        answer.send(Ok(7)).expect("it listens");
    }
    rig.events.wait_for("completed a").await;
    assert_eq!(rig.meta("a").await.stalls, 1);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn what_a_handler_answers_within_the_grace_after_the_lapse_is_stored() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    rig.store.script().on_heartbeat = Some(Box::new(|_| Fault::Hang));
    let slow = router(|_, _| async {
        sleep(millis(4900)).await;
        Ok(())
    });
    let worker = rig.worker(slow).lease(millis(3000)).grace(millis(2000)).rescue_interval(millis(100));
    let report = rig.drain(worker).await;
    assert_eq!((report.started, report.completed, report.rescued), (1, 1, 0));
}

/// Has the store refuse all calls of a worker but claims, as one does that stands still, or has it
/// serve them again.
fn stand_still(rig: &Rig, stands: bool) {
    let fault = || Fault::Refuse(ErrorKind::Unavailable);
    let mut script = rig.store.script();
    script.on_settle = stands.then(|| Box::new(move |_: &[_]| fault()) as _);
    script.on_heartbeat = stands.then(|| Box::new(move |_: &[_]| fault()) as _);
    script.on_list = stands.then(fault);
}

#[tokio::test(start_paused = true)]
async fn jobs_whose_outcomes_waited_for_the_store_are_not_rescued_by_their_worker() {
    let rig = Rig::new();
    rig.enqueue((0..4).map(|n| job(&n.to_string(), n))).await;
    let handler = router(|_, _| async {
        sleep(millis(5000)).await;
        Ok(())
    });
    let worker = rig.worker(handler).lease(millis(6000)).grace(millis(1000));
    let running = Rig::start(worker.rescue_interval(millis(100)));
    rig.events.wait_for_count("started 3", 1).await;
    stand_still(&rig, true);
    // Far longer than lease and grace together.
    sleep(millis(60_000)).await;
    stand_still(&rig, false);
    for n in 0..4 {
        rig.events.wait_for(&format!("completed {n}")).await;
    }
    let report = running.stop().await;
    assert_eq!((report.started, report.completed, report.rescued), (4, 4, 0), "{:?}", rig.events.trace());
}

/// The outcome is refused, so the job runs again, and its own worker rescues it.
#[tokio::test(start_paused = true)]
async fn a_job_whose_outcome_the_store_refuses_is_rescued_by_its_worker() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    rig.store.script().on_settle = Some(Box::new(|batch| {
        let settles = batch.iter().any(|it| matches!(it.patch, Patch::Finish(_)));
        if settles { Fault::Refuse(ErrorKind::Corrupt) } else { Fault::None }
    }));
    let worker = rig.worker(router(|_, _| async { Ok(()) })).lease(millis(3000));
    let running = Rig::start(worker.rescue_interval(millis(100)));
    rig.events.wait_for("abandoned a").await;
    rig.events.wait_for("stalled a").await;
    rig.store.script().on_settle = None;
    rig.events.wait_for("completed a").await;
    running.stop().await;
}
