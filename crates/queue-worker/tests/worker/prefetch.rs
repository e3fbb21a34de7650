//! How many jobs are held ready, chosen by the worker or fixed.

use crate::support::{Rig, Starts, job, millis, numbers, router};
use queue_core::{NewJob, State, Storage, WorkerId};
use queue_worker::Router;
use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};
use tokio::time::{sleep, sleep_until};

fn jobs(numbers: impl IntoIterator<Item = u32>) -> impl Iterator<Item = NewJob> {
    numbers.into_iter().map(|n| job(&format!("{n:05}"), n))
}

/// A handler that takes five seconds for jobs of this number or above, and no time for others.
fn slow_from(first_slow: u32) -> Router {
    router(move |n, _| async move {
        sleep(millis(if n >= first_slow { 5000 } else { 0 })).await;
        Ok(())
    })
}

#[tokio::test(start_paused = true)]
async fn quick_jobs_are_claimed_by_ever_more_up_to_the_bound() {
    let rig = Rig::new();
    rig.enqueue(jobs(0..10_000)).await;
    let report = rig.drain(rig.worker_by_handler_time(slow_from(u32::MAX))).await;
    let limits = rig.store.log().claim_limits;
    assert_eq!((report.completed, limits[0], limits.iter().max()), (10_000, 4, Some(&4004)));
    assert!(limits.len() < 60, "{} claims: {limits:?}", limits.len());
}

#[tokio::test(start_paused = true)]
async fn slow_jobs_are_not_held_ready() {
    let rig = Rig::new();
    rig.enqueue(jobs(0..20)).await;
    let most = Arc::new(AtomicU64::new(0));
    let (peak, store, queue) = (most.clone(), rig.store.clone(), rig.queue.clone());
    let handler = router(move |_, _| {
        let (peak, store, queue) = (peak.clone(), store.clone(), queue.clone());
        async move {
            sleep(millis(10_000)).await;
            let counts = store.counts(&queue).await?;
            peak.fetch_max(counts.of(State::Processing), Ordering::SeqCst);
            Ok(())
        }
    });
    let report = rig.drain(rig.worker_by_handler_time(handler)).await;
    assert_eq!((report.completed, most.load(Ordering::SeqCst)), (20, 4));
    assert_eq!(rig.events.elapsed_ms(), 50_000, "no handler waited for a job either");
}

/// The worst case: as many jobs as possible are held ready, and then jobs become slow.
#[tokio::test(start_paused = true)]
async fn jobs_that_become_slow_are_given_back_once_one_has_waited_for_a_second_or_a_tenth_of_the_lease() {
    for (lease_ms, patience_ms) in [(30_000, 1000), (3000, 300), (600_000, 1000)] {
        let rig = Rig::new();
        rig.enqueue(jobs(0..9000)).await;
        let worker = rig.worker_by_handler_time(slow_from(5000)).lease(millis(lease_ms));
        let running = Rig::start(worker);
        rig.events.wait_for("started 05003").await;
        let slow_since = tokio::time::Instant::now();
        sleep_until(slow_since + millis(patience_ms - 1)).await;
        assert!(rig.leased().await > 1000, "many were claimed ahead");
        sleep_until(slow_since + millis(patience_ms + 1)).await;
        assert_eq!(rig.leased().await, 4, "those that run");
        assert_eq!(rig.meta("08000").await.stalls, 0);
        running.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn another_worker_gets_what_this_one_would_have_sat_on() {
    let rig = Rig::new();
    rig.enqueue(jobs(0..1040)).await;
    let worker =
        |name| rig.worker_by_handler_time(slow_from(1000)).id(WorkerId::from_static(name)).until_empty();
    let one = Rig::start(worker("one"));
    rig.events.wait_for("started 01000").await;
    let other = Rig::start(worker("other"));
    let (one, other) = (one.ended().await, other.ended().await);
    assert_eq!((one.completed + other.completed, one.started + other.started), (1040, 1040));
    assert!(other.completed >= 15, "{other:?}");
    // Forty jobs take five seconds each on eight handlers; the first worker held them for another
    // second.
    assert!(rig.events.elapsed_ms() <= 31_000, "{}", rig.events.elapsed_ms());
}

#[tokio::test(start_paused = true)]
async fn what_is_given_back_keeps_its_place() {
    let (rig, starts) = (Rig::new(), Starts::default());
    rig.enqueue(jobs(0..600)).await;
    let handler = starts.router(|n| if n % 150 == 149 { 5000 } else { 0 });
    let report = rig.drain(rig.worker_by_handler_time(handler).concurrency(1)).await;
    assert_eq!(numbers(&starts.all()), (0..600).collect::<Vec<_>>());
    assert!(report.released > 100, "{report:?}");
    assert_eq!((report.completed, report.started, report.failing), (600, 600, 0));
}

#[tokio::test(start_paused = true)]
async fn a_number_that_was_set_is_held_however_slow_the_jobs_are() {
    let rig = Rig::new();
    rig.enqueue(jobs(0..40)).await;
    let running = Rig::start(rig.worker(slow_from(0)).prefetch(9));
    sleep(millis(12_000)).await;
    assert_eq!(rig.leased().await, 13);
    assert_eq!(running.stop().await.released, 9, "at the stop");
}

#[tokio::test(start_paused = true)]
async fn a_claim_waits_for_a_fair_part_of_the_room_and_no_handler_waits_for_a_job() {
    let rig = Rig::new();
    rig.enqueue(jobs(0..200)).await;
    let handler = router(|_, _| async {
        sleep(millis(10)).await;
        Ok(())
    });
    rig.drain(rig.worker(handler).concurrency(1).prefetch(19)).await;
    assert_eq!(rig.events.elapsed_ms(), 2000);
    let claims = rig.store.log().claims;
    assert!(claims <= 45, "five jobs at a time, not one: {claims} claims");
}
