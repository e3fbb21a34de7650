//! Claims whose answers are lost: no job is charged a stall for it, and none is left without a
//! holder.

use crate::support::{Fault, Rig, Starts, job, millis, span};
use queue_core::{ClaimRequest, ErrorKind, Rng, SeededRng, State, Storage};
use queue_worker::WorkerBuilder;
use std::sync::Arc;
use tokio::time::{Instant, sleep};

/// A worker that waits two seconds for a claim, while a call takes one at most.
fn quick(rig: &Rig, starts: &Starts) -> WorkerBuilder {
    rig.store.script().call_timeout = Some(millis(1000));
    rig.worker(starts.router(u64::from)).lease(millis(6000)).poll_interval(millis(1000))
}

/// Injects these faults in turn, and then none.
fn at_first(rig: &Rig, faults: impl IntoIterator<Item = Fault>) {
    let mut faults = faults.into_iter().collect::<Vec<_>>().into_iter();
    rig.store.script().on_claim = Some(Box::new(move || faults.next().unwrap_or(Fault::None)));
}

#[tokio::test(start_paused = true)]
async fn what_a_claim_leased_whose_answer_was_lost_is_given_back_uncharged_and_claimed_anew() {
    for fault in [Fault::LoseReply, Fault::Late(millis(60_000))] {
        let (rig, starts) = (Rig::new(), Starts::default());
        rig.enqueue((0..4).map(|n| job(&n.to_string(), 5))).await;
        at_first(&rig, [fault]);
        let report = rig.drain(quick(&rig, &starts)).await;
        assert_eq!((report.started, report.completed, report.rescued), (4, 4, 0));
        for name in ["0", "3"] {
            let meta = rig.meta(name).await;
            assert_eq!((meta.stalls, meta.failures), (0, 0));
        }
        assert!(rig.events.elapsed_ms() <= 2300, "{}", rig.events.elapsed_ms());
    }
}

#[tokio::test(start_paused = true)]
async fn claims_ask_for_half_as_much_after_each_lost_answer_and_for_twice_after_each_that_came() {
    let (rig, starts) = (Rig::new(), Starts::default());
    rig.enqueue((0..200).map(|n| job(&n.to_string(), 5))).await;
    at_first(&rig, [Fault::LoseReply; 3]);
    let report = rig.drain(quick(&rig, &starts).concurrency(16).prefetch(0)).await;
    assert_eq!((report.completed, report.rescued), (200, 0));
    let log = rig.store.log();
    assert_eq!(log.claim_limits[..7], [16, 8, 4, 2, 4, 8, 2], "and no more than there is room for");
    let most = ClaimRequest::BYTES_MAX;
    assert_eq!(log.claim_bytes[..7], [most, most / 2, most / 4, most / 8, most / 4, most / 2, most]);
}

#[tokio::test(start_paused = true)]
async fn a_claim_that_was_refused_is_neither_smaller_next_time_nor_looked_for() {
    let (rig, starts) = (Rig::new(), Starts::default());
    rig.enqueue((0..8).map(|n| job(&n.to_string(), 5))).await;
    at_first(&rig, [Fault::Refuse(ErrorKind::Unavailable)]);
    rig.store.script().on_list = Some(Fault::Panic);
    assert_eq!(rig.drain(quick(&rig, &starts).prefetch(0)).await.completed, 8);
    assert_eq!(rig.store.log().claim_limits[..2], [4, 4]);
}

#[tokio::test(start_paused = true)]
async fn other_jobs_go_on_while_a_lost_claim_is_looked_for() {
    let (rig, starts) = (Rig::new(), Starts::default());
    rig.enqueue((0..4).map(|n| job(&n.to_string(), 5))).await;
    at_first(&rig, [Fault::LoseReply]);
    rig.store.script().on_list = Some(Fault::Hang);
    let running = Rig::start(quick(&rig, &starts));
    sleep(millis(500)).await;
    rig.enqueue([job("later", 5)]).await;
    rig.events.wait_for("completed later").await;
    assert!(rig.events.elapsed_ms() <= 1800, "{}", rig.events.elapsed_ms());
    assert_eq!(rig.leased().await, 4, "nobody found them yet");
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_stop_waits_until_what_was_lost_is_given_back() {
    let (rig, starts) = (Rig::new(), Starts::default());
    rig.enqueue((0..4).map(|n| job(&n.to_string(), 5))).await;
    at_first(&rig, [Fault::LoseReply]);
    rig.store.script().on_list = Some(Fault::Refuse(ErrorKind::Unavailable));
    let running = Rig::start(quick(&rig, &starts));
    sleep(millis(40)).await;
    running.stop.cancel();
    sleep(millis(40)).await;
    rig.store.script().on_list = None;
    running.ended().await;
    assert_eq!(rig.store.counts(&rig.queue).await.expect("counts").of(State::Queued), 4);
}

/// A server is stopped for longer than any caller waits, and continued, again and again; meanwhile
/// answers are lost or late.
#[tokio::test(start_paused = true)]
async fn whatever_becomes_of_answers_no_job_is_charged_a_stall_or_held_by_nobody_and_all_are_done() {
    let mut lost = 0;
    for seed in 0..200 {
        let (rig, starts) = (Rig::new(), Starts::default());
        rig.enqueue((0..60).map(|n| job(&n.to_string(), 5 + n % 40))).await;
        let rng = Arc::new(SeededRng::new(seed));
        let faults = rng.clone();
        rig.store.script().on_claim = Some(Box::new(move || match faults.next_u64() % 6 {
            0 => Fault::LoseReply,
            1 => Fault::Late(millis(faults.next_u64() % 4000)),
            _ => Fault::None,
        }));
        let running = Rig::start(quick(&rig, &starts).rescue_interval(millis(500)));
        for _ in 0..4 {
            sleep(millis(rng.next_u64() % 600)).await;
            // The stop is shorter than the time that leaves running jobs without a heartbeat.
            let stopped = millis(rng.next_u64() % 3500);
            rig.store.script().stopped_until = Some(Instant::now() + stopped);
            sleep(stopped).await;
            rig.store.script().stopped_until = None;
            sleep(millis(2000)).await;
        }
        rig.store.script().on_claim = None;
        for n in 0..60 {
            rig.events.wait_for(&format!("completed {n}")).await;
        }
        sleep(millis(20_000)).await;
        assert_eq!(rig.leased().await, 0, "seed {seed}: a job is held by nobody");
        let report = running.stop().await;
        assert_eq!((report.completed, report.rescued, report.leases_lost), (60, 0, 0), "seed {seed}");
        for n in 0..60 {
            assert_eq!(rig.meta(&n.to_string()).await.stalls, 0, "seed {seed}: {n}");
        }
        lost += rig.store.log().claim_bytes.iter().filter(|bytes| **bytes < ClaimRequest::BYTES_MAX).count();
    }
    assert!(lost > 400, "only {lost} claims followed one that was lost: the faults were too mild");
}

#[tokio::test(start_paused = true)]
async fn a_first_claim_that_a_stopped_server_does_late_is_found_too() {
    let (rig, starts) = (Rig::new(), Starts::default());
    rig.enqueue((0..4).map(|n| job(&n.to_string(), 5).with_delay(span(100)))).await;
    // The stop is longer than any lease.
    rig.store.script().stopped_until = Some(Instant::now() + millis(60_000));
    let running = Rig::start(quick(&rig, &starts));
    sleep(millis(60_000)).await;
    rig.store.script().stopped_until = None;
    for n in 0..4 {
        rig.events.wait_for(&format!("completed {n}")).await;
        assert_eq!(rig.meta(&n.to_string()).await.stalls, 0);
    }
    running.stop().await;
}
