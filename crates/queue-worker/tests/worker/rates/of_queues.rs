//! The rate limit of a queue bounds its claims.

use super::{free, jobs, limited, ten_per_second};
use crate::support::{Rig, Starts, job, millis, span, times_ms};
use queue_core::{
    State,
    lifecycle::{Event, OnProcessing},
};
use queue_worker::{RateLimit, WorkQueue};
use tokio::time::sleep;

#[tokio::test(start_paused = true)]
async fn jobs_start_with_the_burst_and_then_exactly_when_each_token_comes() {
    let (rig, starts) = (Rig::new(), Starts::default());
    rig.enqueue_into(&limited(), jobs("x", 10, None).map(|job| job.with_delay(span(5)))).await;
    rig.drain(rig.worker_on(starts.router(|_| 0), [ten_per_second()])).await;
    assert_eq!(times_ms(&starts.all()), [5, 5, 5, 105, 205, 305, 405, 505, 605, 705]);
}

#[tokio::test(start_paused = true)]
async fn no_more_is_claimed_than_may_start_and_nothing_is_asked_in_between() {
    let (rig, starts) = (Rig::new(), Starts::default());
    rig.enqueue_into(&limited(), jobs("x", 40, None)).await;
    let running = Rig::start(rig.worker_on(starts.router(|_| 30), [ten_per_second()]));
    rig.events.wait_for("completed x-39").await;
    let log = rig.store.log();
    assert!(log.claim_limits.iter().all(|&limit| limit <= 3), "{:?}", log.claim_limits);
    // One claim takes the burst, and each later token another.
    assert_eq!(log.claims, 38);
    sleep(millis(60_000)).await;
    assert_eq!(rig.store.log().claims, 39, "one that finds nothing; tokens alone are no reason to ask");
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_limited_queue_leaves_its_share_to_the_others() {
    let (rig, starts) = (Rig::new(), Starts::default());
    rig.enqueue_into(&limited(), jobs("x", 20, None)).await;
    rig.enqueue_into(&free(), jobs("x", 400, None)).await;
    let queues = [ten_per_second().weight(1000), WorkQueue::new(free())];
    rig.drain(rig.worker_on(starts.router(|_| 10), queues)).await;
    let (limited, free) = (times_ms(&starts.of_queue(&limited())), times_ms(&starts.of_queue(&free())));
    // No slot idles: 400 jobs, and the 13 of the limited queue that start meanwhile, run four at a
    // time for ten milliseconds.
    assert_eq!(free.last(), Some(&1030), "{free:?}");
    // Each job waits for its token and then for the ready jobs, not for the end of all others.
    let late: Vec<_> =
        (0_u64..).zip(&limited).filter(|(n, at)| **at > n.saturating_sub(2) * 100 + 30).collect();
    assert!(limited.len() == 20 && late.is_empty(), "{limited:?}");
}

#[tokio::test(start_paused = true)]
async fn a_limit_holds_when_handlers_become_free_all_at_once() {
    let (rig, starts) = (Rig::new(), Starts::default());
    rig.enqueue_into(&free(), jobs("jam", 4, Some(5000))).await;
    rig.enqueue_into(&limited(), jobs("x", 7, Some(1)).map(|job| job.with_delay(span(10)))).await;
    let queues = [WorkQueue::new(free()), ten_per_second()];
    rig.drain(rig.worker_on(starts.router(u64::from), queues)).await;
    assert_eq!(times_ms(&starts.of_queue(&limited())), [5000, 5000, 5000, 5100, 5200, 5300, 5400]);
}

#[tokio::test(start_paused = true)]
async fn what_does_not_start_after_all_leaves_its_token_to_another() {
    let (rig, starts) = (Rig::new(), Starts::default());
    let queue = WorkQueue::new(rig.queue.clone()).rate_limit(RateLimit::per_minute(1).burst(2));
    rig.enqueue_into(&free(), jobs("jam", 4, Some(40_000))).await;
    rig.enqueue(["a", "b", "c"].map(|name| job(name, 1).with_delay(span(10)))).await;
    let worker = rig.worker_on(starts.router(u64::from), [WorkQueue::new(free()), queue]);
    let running = Rig::start(worker.lease(millis(3000)));
    sleep(millis(100)).await;
    assert_eq!((rig.leased().await, rig.meta("c").await.state), (2, State::Queued));
    rig.change("a", Event::Cancel { processing: OnProcessing::Request }).await;
    rig.events.wait_for("completed c").await;
    let times = ["started a", "started b", "started c"].map(|start| rig.events.times_of(start));
    assert_eq!(times, [vec![], vec![40_000], vec![40_000]]);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_is_done_does_not_wait_for_a_token_to_see_it() {
    let (rig, starts) = (Rig::new(), Starts::default());
    let hourly = RateLimit::new(1, millis(3_600_000)).burst(2);
    rig.enqueue_into(&limited(), jobs("x", 2, None)).await;
    let queues = [WorkQueue::new(free()), WorkQueue::new(limited()).rate_limit(hourly)];
    let report = rig.drain(rig.worker_on(starts.router(|_| 1), queues)).await;
    assert_eq!((report.completed, rig.events.elapsed_ms()), (2, 1));
}

#[tokio::test(start_paused = true)]
async fn until_idle_waits_for_due_jobs_that_may_not_start_yet() {
    let (rig, starts) = (Rig::new(), Starts::default());
    rig.enqueue_into(&limited(), jobs("x", 5, None)).await;
    let queues = [WorkQueue::new(limited()).rate_limit(RateLimit::per_minute(1)), WorkQueue::new(free())];
    let report = Rig::start(rig.worker_on(starts.router(|_| 0), queues).until_idle()).ended().await;
    assert_eq!((report.completed, rig.events.elapsed_ms()), (5, 240_000));
}
