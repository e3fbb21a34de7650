//! When things happen: exactly when they are due, without polling in between.

use crate::support::{Fault, Hints, Rig, job, millis, router, span};
use queue_core::{ErrorKind, Pause, Retention, RetryPolicy, State, Storage};
use queue_worker::{JobError, Router};
use std::time::Duration;
use tokio::time::sleep;

fn succeeding() -> Router {
    router(|n, _| async move { Ok(n) })
}

#[tokio::test(start_paused = true)]
async fn retries_start_exactly_when_they_are_due_and_nothing_is_asked_in_between() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let failing = router(|_, _| async { Err::<(), _>(JobError::named("Test", "it fails")) });
    let backoff = RetryPolicy::exponential(Duration::from_secs(1)).cap(Duration::from_secs(60)).jitter(0.0);
    let running = Rig::start(rig.worker(failing).retry(backoff));
    rig.events.wait_for("failed a").await;
    assert_eq!(rig.events.times_of("started a"), [0, 1000, 3000]);
    // Each of the three attempts takes a claim, and each of the two failures another, for the hint
    // that the job waits again.
    assert_eq!(rig.store.log().claims, 5);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_delayed_job_starts_exactly_at_its_time() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1).with_delay(span(1234)), job("b", 1).with_delay(span(3_600_000))]).await;
    rig.drain(rig.worker(succeeding())).await;
    assert_eq!(rig.events.times_of("started a"), [1234]);
    assert_eq!(rig.events.times_of("started b"), [3_600_000]);
}

#[tokio::test(start_paused = true)]
async fn an_idle_worker_is_woken_by_the_hint_of_an_enqueue() {
    let rig = Rig::new();
    let running = Rig::start(rig.worker(succeeding()).poll_interval(millis(1_000_000)));
    sleep(millis(1500)).await;
    rig.enqueue([job("a", 1)]).await;
    rig.events.wait_for("completed a").await;
    assert_eq!(rig.events.times_of("completed a"), [1500]);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_poll_finds_what_no_hint_told_of() {
    let rig = Rig::new();
    rig.store.script().hints = Hints::Drop;
    let running = Rig::start(rig.worker(succeeding()).poll_interval(millis(2000)));
    sleep(millis(100)).await;
    rig.enqueue([job("a", 1)]).await;
    rig.events.wait_for("completed a").await;
    let at = rig.events.times_of("completed a")[0];
    assert!((1500..=2500).contains(&at), "a poll is jittered by a quarter: {at}");
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn an_idle_worker_asks_once_in_a_poll_interval() {
    let rig = Rig::new();
    let running = Rig::start(rig.worker(succeeding()).poll_interval(millis(1000)));
    sleep(millis(100_000)).await;
    let claims = rig.store.log().claims;
    assert!((80..=140).contains(&claims), "{claims} claims");
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn the_job_of_a_dead_worker_is_rescued_exactly_when_its_lease_lapses() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    rig.claim_elsewhere(1, span(2345)).await;
    let far = millis(1_000_000);
    rig.drain(rig.worker(succeeding()).poll_interval(far).rescue_interval(far)).await;
    assert_eq!(rig.events.trace()[..2], [(2345, "stalled a".to_owned()), (2345, "started a".to_owned())]);
    assert_eq!(rig.meta("a").await.stalls, 1);
}

#[tokio::test(start_paused = true)]
async fn lapsed_leases_are_rescued_by_a_worker_without_a_free_slot() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1), job("b", 2)]).await;
    rig.claim_elsewhere(1, span(1000)).await;
    let slow = router(|_, _| async {
        sleep(millis(20_000)).await;
        Ok(())
    });
    let worker = rig.worker(slow).concurrency(1).prefetch(0).rescue_interval(millis(3000));
    let running = Rig::start(worker);
    rig.events.wait_for("stalled a").await;
    let at = rig.events.times_of("stalled a")[0];
    assert!((1000..=6000).contains(&at) && rig.events.count("completed b") == 0, "{at}");
    running.stop.cancel();
    running.ended().await;
}

#[tokio::test(start_paused = true)]
async fn expired_records_are_pruned() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1).with_retention(Retention::Keep(span(1000)))]).await;
    let running = Rig::start(rig.worker(succeeding()).prune_interval(millis(4000)));
    rig.events.wait_for("completed a").await;
    sleep(millis(6000)).await;
    assert_eq!(rig.store.counts(&rig.queue).await.expect("counts").total(), 0);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_paused_queue_gives_nothing_until_it_is_resumed() {
    let rig = Rig::new();
    rig.store.set_paused(&rig.queue, None, Pause::UntilResumed).await.expect("pauses");
    rig.enqueue([job("a", 1)]).await;
    let running = Rig::start(rig.worker(succeeding()).poll_interval(millis(1_000_000)));
    sleep(millis(60_500)).await;
    assert_eq!(rig.events.labels(), [""; 0]);
    assert_eq!(rig.store.log().claims, 1, "it does not ask for what it was told is paused");
    rig.store.set_paused(&rig.queue, None, Pause::Off).await.expect("resumes");
    rig.events.wait_for("completed a").await;
    assert_eq!(rig.events.times_of("completed a"), [60_500]);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn claims_that_fail_back_off_and_recover() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    rig.store.script().on_claim = Some(Box::new(|| Fault::Refuse(ErrorKind::Unavailable)));
    let running = Rig::start(rig.worker(succeeding()));
    sleep(millis(60_000)).await;
    let claims = rig.store.log().claims;
    assert!((12..=30).contains(&claims), "doubling from 50 ms to 5 s, not {claims} claims");
    rig.store.script().on_claim = None;
    rig.events.wait_for("completed a").await;
    assert!(rig.events.times_of("completed a")[0] <= 60_000 + 6250);
    assert_eq!(running.stop().await.completed, 1);
}

#[tokio::test(start_paused = true)]
async fn hints_do_not_cut_the_wait_after_an_error_short() {
    let rig = Rig::new();
    rig.store.script().on_claim = Some(Box::new(|| Fault::Refuse(ErrorKind::Unavailable)));
    let running = Rig::start(rig.worker(succeeding()));
    for n in 0..6000_u32 {
        rig.enqueue([job(&n.to_string(), 1)]).await;
        sleep(millis(10)).await;
    }
    let claims = rig.store.log().claims;
    assert!(claims <= 30, "{claims} claims in a minute");
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_subscription_that_ends_is_taken_out_again() {
    let rig = Rig::new();
    rig.store.script().hints = Hints::End;
    let running = Rig::start(rig.worker(succeeding()).poll_interval(millis(1_000_000)));
    sleep(millis(1000)).await;
    rig.store.script().hints = Hints::Pass;
    sleep(millis(10_000)).await;
    rig.enqueue([job("a", 1)]).await;
    rig.events.wait_for("completed a").await;
    assert_eq!(rig.events.times_of("completed a"), [11_000]);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn subscriptions_that_keep_ending_back_off() {
    let rig = Rig::new();
    rig.store.script().hints = Hints::End;
    let running = Rig::start(rig.worker(succeeding()));
    sleep(millis(60_000)).await;
    let log = rig.store.log();
    assert!(
        log.claims <= 40 && log.subscriptions <= 40,
        "{} claims, {} subscriptions",
        log.claims,
        log.subscriptions
    );
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn due_jobs_that_cannot_be_had_are_asked_for_at_the_poll_interval() {
    let rig = Rig::new();
    rig.store.script().edit_claimed = Some(Box::new(|claimed| claimed.next_due = Some(claimed.now)));
    let running = Rig::start(rig.worker(succeeding()).poll_interval(millis(1000)));
    sleep(millis(60_000)).await;
    let claims = rig.store.log().claims;
    assert!(claims <= 90, "{claims} claims in a minute");
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_rescue_that_fails_is_tried_at_the_poll_interval() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    rig.claim_elsewhere(1, span(10)).await;
    rig.store.script().on_list = Some(Fault::Refuse(ErrorKind::Unavailable));
    let running = Rig::start(rig.worker(succeeding()).poll_interval(millis(1000)));
    sleep(millis(60_000)).await;
    let claims = rig.store.log().claims;
    assert!(claims <= 90, "{claims} claims in a minute");
    rig.store.script().on_list = None;
    rig.events.wait_for("completed a").await;
    assert_eq!(rig.meta("a").await.state, State::Completed);
    running.stop().await;
}
