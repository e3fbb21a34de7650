//! Trouble with one queue of a worker is trouble with that queue alone.

use super::{a, b, c, evenly, jobs};
use crate::support::{Fault, OnBatch, Rig, Starts, job, millis, router};
use queue_core::{ErrorKind, QueueName, State, Storage};
use queue_worker::{Context, Router};
use std::sync::{Arc, Mutex};
use tokio::time::sleep;

/// Injects a fault into every batch with a job of this queue.
fn whenever(queue: QueueName, fault: Fault) -> OnBatch {
    Box::new(move |batch| if batch.iter().any(|it| it.queue == queue) { fault } else { Fault::None })
}

/// The handlers that were asked to stop, and when.
type Told = Arc<Mutex<Vec<(String, u64)>>>;

/// A handler that works for several leases unless it is asked to stop.
fn long(rig: &Rig, told: &Told) -> Router {
    let (events, told) = (rig.events.clone(), told.clone());
    router(move |_, context: Context| {
        let (events, told) = (events.clone(), told.clone());
        async move {
            tokio::select! {
                () = context.cancelled() => {
                    let told_one = (context.meta().id.to_string(), events.elapsed_ms());
                    told.lock().expect("unpoisoned").push(told_one);
                }
                () = sleep(millis(20_000)) => {}
            }
            Ok(())
        }
    })
}

/// The first handler was asked to stop when its lease was over. It may have been claimed and asked
/// again, but no other was asked.
fn assert_only_told(told: &Told, name: &str) {
    let told = told.lock().expect("unpoisoned");
    assert_eq!(told[0], (name.to_owned(), 3000));
    assert!(told.iter().all(|(other, _)| other == name), "{told:?}");
}

/// Jobs of `b` and `c` complete while heartbeats with a job of `a` fail.
async fn others_complete_while_heartbeats_fail(fault: Fault) {
    let (rig, told) = (Rig::new(), Told::default());
    for queue in [a(), b(), c()] {
        rig.enqueue_into(&queue, [job(queue.as_str(), 1)]).await;
    }
    rig.store.script().on_heartbeat = Some(whenever(a(), fault));
    let running = Rig::start(rig.worker_on(long(&rig, &told), evenly([a(), b(), c()])).lease(millis(3000)));
    rig.events.wait_for("completed b").await;
    rig.events.wait_for("completed c").await;
    assert_only_told(&told, "a");
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_queue_whose_heartbeats_are_refused_costs_no_other_its_leases() {
    others_complete_while_heartbeats_fail(Fault::Refuse(ErrorKind::Unavailable)).await;
}

#[tokio::test(start_paused = true)]
async fn a_queue_whose_heartbeats_are_never_answered_costs_no_other_its_leases() {
    others_complete_while_heartbeats_fail(Fault::Hang).await;
}

#[tokio::test(start_paused = true)]
async fn a_damaged_record_costs_no_other_job_its_lease() {
    let (rig, told) = (Rig::new(), Told::default());
    rig.enqueue_into(&a(), jobs(7)).await;
    rig.enqueue_into(&b(), [job("b", 1)]).await;
    rig.store.script().on_heartbeat = Some(Box::new(|batch| {
        let is_damaged = batch.iter().any(|it| it.id.as_str() == "3");
        if is_damaged { Fault::Refuse(ErrorKind::Corrupt) } else { Fault::None }
    }));
    let worker = rig.worker_on(long(&rig, &told), evenly([a(), b()])).concurrency(8).lease(millis(3000));
    let running = Rig::start(worker);
    rig.events.wait_for("completed b").await;
    rig.events.wait_for("completed 6").await;
    assert_only_told(&told, "3");
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn outcomes_of_a_queue_that_is_away_hold_up_no_others() {
    let (rig, starts) = (Rig::new(), Starts::default());
    for queue in [a(), b()] {
        rig.enqueue_into(&queue, [job(queue.as_str(), 1)]).await;
    }
    rig.store.script().on_settle = Some(whenever(a(), Fault::Refuse(ErrorKind::Unavailable)));
    let running = Rig::start(rig.worker_on(starts.router(|_| 10), evenly([a(), b()])));
    rig.events.wait_for("completed b").await;
    assert_eq!(rig.events.elapsed_ms(), 10, "its own call was made at once");
    sleep(millis(30_000)).await;
    rig.enqueue_into(&b(), [job("later", 1)]).await;
    rig.events.wait_for("completed later").await;
    assert_eq!(rig.events.elapsed_ms(), 30_020, "it did not wait for the other queue either");
    rig.store.script().on_settle = None;
    rig.events.wait_for("completed a").await;
    let report = running.stop().await;
    assert_eq!((report.started, report.completed), (3, 3));
}

/// More jobs than there are slots end before the store is back.
#[tokio::test(start_paused = true)]
async fn outcomes_of_a_queue_that_is_away_take_no_slots_of_others() {
    const SLOTS: usize = 4;
    let (rig, starts) = (Rig::new(), Starts::default());
    rig.enqueue_into(&a(), jobs(100)).await;
    rig.store.script().on_settle = Some(whenever(a(), Fault::Refuse(ErrorKind::Unavailable)));
    let worker = rig.worker_on(starts.router(|_| 10), evenly([a(), b()])).lease(millis(300_000));
    let running = Rig::start(worker.concurrency(SLOTS).prefetch(0));
    sleep(millis(60_000)).await;
    assert_eq!(starts.of_queue(&a()).len(), SLOTS, "no more are taken whose outcomes would only wait");
    rig.enqueue_into(&b(), (100..200).map(|n| job(&n.to_string(), 10))).await;
    rig.events.wait_for("completed 199").await;
    assert_eq!(rig.events.elapsed_ms(), 60_250, "all slots are free for the other queue");
    rig.store.script().on_settle = None;
    for n in 0..100 {
        rig.events.wait_for(&format!("completed {n}")).await;
    }
    let report = running.stop().await;
    assert_eq!((report.started, report.completed, report.leases_lost), (200, 200, 0));
}

#[tokio::test(start_paused = true)]
async fn outcomes_that_wait_for_a_queue_that_is_away_go_together_once_it_is_back() {
    let (rig, starts) = (Rig::new(), Starts::default());
    rig.enqueue_into(&a(), (0..6).map(|n| job(&n.to_string(), n * 100))).await;
    rig.store.script().on_settle = Some(whenever(a(), Fault::Refuse(ErrorKind::Unavailable)));
    let worker = rig.worker_on(starts.router(|ms| u64::from(ms) + 1), evenly([a(), b()]));
    let running = Rig::start(worker.concurrency(6).settle_batch_max(3));
    sleep(millis(20_000)).await;
    let tries = rig.store.log().settles;
    assert!(tries.iter().all(|&jobs| jobs == 1), "one call at a time, for what came first: {tries:?}");
    rig.store.script().on_settle = None;
    rig.events.wait_for_count("completed 5", 1).await;
    assert_eq!(rig.store.log().settles[tries.len()..], [1, 3, 2]);
    assert_eq!(running.stop().await.completed, 6);
}

#[tokio::test(start_paused = true)]
async fn outcomes_of_a_queue_that_stays_away_are_given_up_at_the_shutdown_deadline() {
    let (rig, starts) = (Rig::new(), Starts::default());
    rig.enqueue_into(&a(), (0..4).map(|n| job(&n.to_string(), n * 100))).await;
    rig.enqueue_into(&b(), [job("b", 1)]).await;
    rig.store.script().on_settle = Some(whenever(a(), Fault::Refuse(ErrorKind::Unavailable)));
    let worker = rig.worker_on(starts.router(|ms| u64::from(ms) + 1), evenly([a(), b()]));
    let running = Rig::start(worker.concurrency(5).grace(millis(4000)));
    sleep(millis(20_000)).await;
    let report = running.stop().await;
    assert_eq!((report.completed, report.abandoned, rig.events.elapsed_ms()), (1, 4, 24_000));
}

#[tokio::test(start_paused = true)]
async fn what_one_queue_gave_is_done_while_the_claim_of_another_has_no_answer() {
    let (rig, starts) = (Rig::new(), Starts::default());
    rig.enqueue_into(&a(), jobs(2)).await;
    rig.store.script().on_claim_of.insert(b(), Fault::Hang);
    let running = Rig::start(rig.worker_on(starts.router(|_| 1), evenly([a(), b()])));
    sleep(millis(100)).await;
    let report = running.stop().await;
    assert_eq!((report.completed, report.released, report.abandoned), (2, 0, 0));
    assert_eq!(rig.store.counts(&a()).await.expect("counts").of(State::Completed), 2);
}
