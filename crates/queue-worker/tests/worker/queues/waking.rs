//! When each of several queues is claimed.

use super::{a, b, c, claim_elsewhere, evenly, jobs, weighted};
use crate::support::{Hints, Rig, Starts, job, millis, span, times_ms};
use queue_core::{Pause, QueueName, Storage};
use tokio::time::sleep;

fn seen(starts: &Starts) -> Vec<(u64, QueueName)> {
    starts.all().into_iter().map(|start| (start.at_ms(), start.queue)).collect()
}

#[tokio::test(start_paused = true)]
async fn it_sleeps_until_exactly_the_earliest_due_job_of_all_queues() {
    let (rig, starts) = (Rig::new(), Starts::default());
    for (queue, delay_ms) in [(a(), 5000), (b(), 1234), (c(), 777_777)] {
        rig.enqueue_into(&queue, [job("later", 1).with_delay(span(delay_ms))]).await;
    }
    let running = Rig::start(rig.worker_on(starts.router(|_| 1), evenly([a(), b(), c()])));
    rig.events.wait_for_count("completed later", 3).await;
    assert_eq!(seen(&starts), [(1234, b()), (5000, a()), (777_777, c())]);
    // There are three claims at the start, and for each job one that leases it and at most one
    // after the hint of its end.
    let claims = rig.store.log().claims;
    assert!(claims <= 9, "{claims} claims");
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_hint_of_any_queue_wakes_it() {
    let (rig, starts) = (Rig::new(), Starts::default());
    let running = Rig::start(rig.worker_on(starts.router(|_| 1), evenly([a(), b(), c()])));
    for queue in [c(), a(), b()] {
        sleep(millis(1500)).await;
        rig.enqueue_into(&queue, [job("x", 1)]).await;
    }
    rig.events.wait_for_count("completed x", 3).await;
    assert_eq!(seen(&starts), [(1500, c()), (3000, a()), (4500, b())]);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_hint_is_heeded_while_another_queue_keeps_the_worker_busy() {
    let (rig, starts) = (Rig::new(), Starts::default());
    rig.enqueue_into(&a(), jobs(400)).await;
    let running = Rig::start(rig.worker_on(starts.router(|_| 10), evenly([a(), b()])));
    sleep(millis(105)).await;
    rig.enqueue_into(&b(), [job("x", 1)]).await;
    rig.events.wait_for("completed x").await;
    // The job waits behind the four that run and the four that are held ready.
    assert_eq!(times_ms(&starts.of_queue(&b())), [120]);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn without_hints_each_queue_is_polled() {
    let (rig, starts) = (Rig::new(), Starts::default());
    rig.store.script().hints = Hints::Drop;
    let worker = rig.worker_on(starts.router(|_| 1), evenly([a(), b()])).poll_interval(millis(2000));
    let running = Rig::start(worker);
    sleep(millis(100)).await;
    rig.enqueue_into(&a(), [job("x", 1)]).await;
    rig.enqueue_into(&b(), [job("y", 2)]).await;
    rig.events.wait_for("completed x").await;
    rig.events.wait_for("completed y").await;
    let times = times_ms(&starts.all());
    assert!(times.iter().all(|at| (1500..=2500).contains(at)), "{times:?}");
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_paused_queue_is_passed_over_until_it_is_resumed() {
    let (rig, starts) = (Rig::new(), Starts::default());
    rig.store.set_paused(&a(), None, Pause::UntilResumed).await.expect("pauses");
    rig.enqueue_into(&a(), jobs(10)).await;
    rig.enqueue_into(&b(), jobs(10)).await;
    let running = Rig::start(rig.worker_on(starts.router(|_| 10), weighted(&[(a(), 9), (b(), 1)])));
    rig.events.wait_for("completed 9").await;
    assert_eq!((starts.of_queue(&a()).len(), starts.of_queue(&b()).len()), (0, 10));
    assert_eq!(rig.events.elapsed_ms(), 30, "four at a time, without a break");
    sleep(millis(5000)).await;
    rig.store.set_paused(&a(), None, Pause::Off).await.expect("resumes");
    rig.events.wait_for_count("completed 9", 2).await;
    assert_eq!(times_ms(&starts.of_queue(&a()))[0], 5030, "at once");
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn lapsed_leases_of_every_queue_are_rescued_exactly_when_they_lapse() {
    let (rig, starts) = (Rig::new(), Starts::default());
    for (queue, lease) in [(a(), 3000), (b(), 2000)] {
        rig.enqueue_into(&queue, [job("x", 1)]).await;
        claim_elsewhere(&rig, &queue, lease).await;
    }
    rig.drain(rig.worker_on(starts.router(|_| 1), evenly([a(), b()]))).await;
    assert_eq!(seen(&starts), [(2000, b()), (3000, a())]);
}
