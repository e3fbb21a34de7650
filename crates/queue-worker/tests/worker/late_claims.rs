//! Claims whose answers come so late that little of their leases is left, or nothing.

use crate::{
    leases::{Told, failure, sleeping, told, until_cancelled},
    support::{Fault, Rig, job, millis},
};
use queue_worker::CancelReason;
use tokio::{
    task::yield_now,
    time::{advance, sleep},
};

/// Once every task waits, lets no task run for this long.
async fn nobody_runs_for(time: u64) {
    for _ in 0..100 {
        yield_now().await;
    }
    advance(millis(time)).await;
}

#[tokio::test(start_paused = true)]
async fn a_job_whose_lease_lapsed_before_its_claim_was_heard_is_given_back_unstarted() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let mut answers = [millis(1000)].into_iter();
    rig.store.script().on_claim = Some(Box::new(move || answers.next().map_or(Fault::None, Fault::Late)));
    let worker = rig.worker(sleeping(10)).lease(millis(3000)).rescue_interval(millis(60_000));
    let running = Rig::start(worker.until_empty());
    nobody_runs_for(3500).await;
    let report = running.ended().await;
    assert_eq!(rig.events.labels(), ["blocked 2500", "released a", "started a", "completed a"]);
    assert_eq!((report.started, report.released), (1, 1));
}

/// The job is stored half a second after the start, and the claim that leases it takes nearly the
/// whole lease.
async fn claimed_late(rig: &Rig) {
    sleep(millis(500)).await;
    rig.store.script().on_claim = Some(Box::new(|| Fault::Late(millis(1000))));
    rig.enqueue([job("a", 1)]).await;
    nobody_runs_for(2900).await;
    rig.events.wait_for("started a").await;
    rig.store.script().on_claim = None;
}

#[tokio::test(start_paused = true)]
async fn a_lease_of_which_a_late_claim_left_little_is_extended_at_once() {
    let rig = Rig::new();
    let running = Rig::start(rig.worker(sleeping(10_000)).lease(millis(3000)));
    claimed_late(&rig).await;
    sleep(millis(1)).await;
    assert_eq!(rig.store.log().heartbeats, [1]);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_handler_is_told_exactly_when_a_lease_lapses_of_which_a_late_claim_left_little() {
    let (rig, seen) = (Rig::new(), Told::default());
    rig.store.script().on_heartbeat = Some(Box::new(|_| Fault::Hang));
    let running = Rig::start(rig.worker(until_cancelled(&seen, Err(failure()))).lease(millis(3000)));
    claimed_late(&rig).await;
    sleep(millis(101)).await;
    assert_eq!(told(&seen), [(Some(CancelReason::LeaseLost), 100)]);
    running.stop().await;
}
