//! Workers on several queues that end by themselves.

use super::{a, b, c, claim_elsewhere, evenly, jobs};
use crate::support::{Rig, Starts, job, millis, router, span};
use queue_core::{State, Storage};
use queue_worker::Context;
use tokio::time::sleep;

#[tokio::test(start_paused = true)]
async fn until_empty_waits_for_every_queue() {
    let (rig, starts) = (Rig::new(), Starts::default());
    rig.enqueue_into(&a(), jobs(3)).await;
    rig.enqueue_into(&b(), [job("later", 1).with_delay(span(50_000))]).await;
    rig.enqueue_into(&c(), [job("theirs", 1)]).await;
    claim_elsewhere(&rig, &c(), 60_000).await;
    let report = rig.drain(rig.worker_on(starts.router(|_| 1), evenly([a(), b(), c()]))).await;
    assert_eq!((report.completed, report.rescued, rig.events.elapsed_ms()), (5, 1, 60_001));
}

#[tokio::test(start_paused = true)]
async fn until_idle_ends_once_no_queue_has_a_due_job() {
    let (rig, starts) = (Rig::new(), Starts::default());
    rig.enqueue_into(&a(), [job("later", 1).with_delay(span(50_000))]).await;
    rig.enqueue_into(&b(), jobs(3)).await;
    rig.enqueue_into(&c(), jobs(40)).await;
    let worker = rig.worker_on(starts.router(|_| 10), evenly([a(), b(), c()]));
    let report = Rig::start(worker.until_idle()).ended().await;
    assert_eq!((report.completed, rig.events.elapsed_ms()), (43, 110));
}

#[tokio::test(start_paused = true)]
async fn until_idle_sees_what_a_job_of_one_queue_put_into_another() {
    for (concurrency, prefetch) in [(1, 0), (4, 4)] {
        let rig = Rig::new();
        rig.enqueue_into(&a(), [job("5", 5)]).await;
        let store = rig.store.clone();
        let handler = router(move |n: u32, context: Context| {
            let store = store.clone();
            async move {
                sleep(millis(10)).await;
                if n > 0 {
                    let next = if context.meta().queue == a() { b() } else { a() };
                    store.enqueue(&next, vec![vec![job(&(n - 1).to_string(), n - 1)]]).await?;
                }
                Ok(())
            }
        });
        let worker = rig.worker_on(handler, evenly([a(), b(), c()]));
        let worker = worker.concurrency(concurrency).prefetch(prefetch).until_idle();
        assert_eq!(Rig::start(worker).ended().await.completed, 6);
    }
}

/// A program of cron is such a worker. Where it is the only one, no other takes over what a killed
/// run left. A lease that has not lapsed yet is left to the worker that holds it.
#[tokio::test(start_paused = true)]
async fn until_idle_takes_over_the_job_of_a_run_that_was_killed_before_it() {
    let (rig, starts) = (Rig::new(), Starts::default());
    rig.enqueue_into(&a(), [job("killed", 1)]).await;
    claim_elsewhere(&rig, &a(), 1000).await;
    rig.enqueue_into(&a(), [job("held", 1)]).await;
    claim_elsewhere(&rig, &a(), 600_000).await;
    sleep(millis(60_000)).await;
    let worker = rig.worker_on(starts.router(|_| 1), evenly([a()])).rescue_interval(millis(5000));
    let report = Rig::start(worker.until_idle()).ended().await;
    assert_eq!((report.completed, report.rescued), (1, 1), "{:?}", rig.events.trace());
    let after = rig.events.elapsed_ms() - 60_000;
    assert!((10_000..16_000).contains(&after), "it leaves the lease alone for 10 s: {after} ms");
}

#[tokio::test(start_paused = true)]
async fn what_has_not_started_is_given_back_to_its_own_queue_at_the_stop() {
    let (rig, starts) = (Rig::new(), Starts::default());
    for queue in [a(), b()] {
        rig.enqueue_into(&queue, jobs(4)).await;
    }
    let worker = rig.worker_on(starts.router(|_| 1000), evenly([a(), b()]));
    let running = Rig::start(worker.concurrency(2).prefetch(4));
    rig.events.wait_for_count("started 0", 2).await;
    let report = running.stop().await;
    assert_eq!((report.completed, report.released), (2, 4));
    for queue in [a(), b()] {
        let counts = rig.store.counts(&queue).await.expect("counts");
        assert_eq!((counts.of(State::Completed), counts.of(State::Queued)), (1, 3));
    }
}
