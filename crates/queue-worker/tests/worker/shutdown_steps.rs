//! A stop from its first step to its last, and what holds at each.

use crate::support::{Rig, job, millis, router};
use queue_core::{State, Storage};
use queue_worker::{Context, JobError, Router};
use tokio::time::sleep;

/// A handler that behaves differently for each number.
fn mixed() -> Router {
    router(|n, context: Context| async move {
        match n {
            // The job is quick: it ends while the worker drains.
            1 => sleep(millis(400)).await,
            // The job fails meanwhile.
            2 => {
                sleep(millis(500)).await;
                return Err(JobError::named("Test", "it fails"));
            }
            // The job snoozes meanwhile.
            3 => {
                sleep(millis(600)).await;
                return Err(JobError::snooze(millis(1)));
            }
            // The job is polite: it ends a while after it is asked to.
            4 => {
                context.cancelled().await;
                sleep(millis(50)).await;
            }
            // The job gives up when it is asked to.
            5 => {
                context.cancelled().await;
                sleep(millis(60)).await;
                return Err(JobError::release());
            }
            // The job is stubborn.
            _ => std::future::pending().await,
        }
        Ok(n)
    })
}

#[tokio::test(start_paused = true)]
async fn the_steps_of_a_stop_come_in_order_each_at_its_time() {
    let rig = Rig::new();
    rig.enqueue((1..=10).map(|n| job(&n.to_string(), n))).await;
    let worker = rig.worker(mixed()).concurrency(6).prefetch(2).lease(millis(200));
    let running = Rig::start(worker.drain_deadline(millis(1000)).grace(millis(300)));
    rig.events.wait_for("started 6").await;
    let report = running.stop().await;
    let after_the_start = &rig.events.trace()[6..];
    let steps = [
        // Jobs that have not started are given back at once, and their slots are not used for new
        // claims.
        (0, "released 7"),
        (0, "released 8"),
        // Running jobs continue, and their answers are stored.
        (400, "completed 1"),
        (500, "failing 2"),
        (600, "released 3"),
        // At the deadline the other handlers are asked to stop.
        (1050, "completed 4"),
        (1060, "released 5"),
        // After the grace they are dropped, and their jobs given back.
        (1300, "released 6"),
    ];
    assert_eq!(after_the_start, steps.map(|(at, label)| (at, label.to_owned())));
    assert_eq!((report.started, report.abandoned, report.leases_lost), (6, 0, 0));
    for name in ["3", "5", "6", "7", "8", "9", "10"] {
        let meta = rig.meta(name).await;
        assert_eq!((meta.state, meta.failures, meta.stalls), (State::Queued, 0, 0), "{name}");
        assert_eq!(meta.epoch, u64::from(meta.id.as_str().parse::<u32>().expect("a number") < 9), "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_stopping_worker_gives_back_runs_elsewhere_while_it_drains() {
    let rig = Rig::new();
    rig.enqueue((0..4).map(|n| job(&n.to_string(), n))).await;
    let slow = router(|_, _| async {
        sleep(millis(5000)).await;
        Ok(())
    });
    let stopping = Rig::start(rig.worker(slow).concurrency(1));
    rig.events.wait_for("started 0").await;
    let other = Rig::start(rig.worker(router(|n, _| async move { Ok(n) })));
    stopping.stop.cancel();
    rig.events.wait_for("completed 3").await;
    assert_eq!(rig.events.elapsed_ms(), 0, "at once");
    stopping.ended().await;
    assert_eq!(rig.events.times_of("completed 0"), [5000]);
    other.stop().await;
}

#[tokio::test(start_paused = true)]
async fn leases_are_kept_alive_during_the_grace_too() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let handler = router(|_, context: Context| async move {
        context.cancelled().await;
        sleep(millis(9000)).await;
        Ok(())
    });
    let worker = rig.worker(handler).lease(millis(500)).drain_deadline(millis(100)).grace(millis(10_000));
    let running = Rig::start(worker);
    rig.events.wait_for("started a").await;
    let report = running.stop().await;
    assert_eq!((report.completed, report.leases_lost), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn what_follows_a_job_that_completes_during_the_drain_is_stored_and_not_started() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let handler = router(|_, context: Context| async move {
        sleep(millis(1000)).await;
        context.then(job("next", 2));
        Ok(())
    });
    let running = Rig::start(rig.worker(handler));
    rig.events.wait_for("started a").await;
    let report = running.stop().await;
    assert_eq!((report.started, report.completed), (1, 1));
    assert_eq!((rig.meta("next").await.state, rig.meta("next").await.epoch), (State::Queued, 0));
}

#[tokio::test(start_paused = true)]
async fn a_worker_with_nothing_to_do_stops_at_once() {
    let rig = Rig::new();
    let running = Rig::start(rig.worker(mixed()));
    sleep(millis(1000)).await;
    running.stop().await;
    assert_eq!(rig.events.elapsed_ms(), 1000);
}

#[tokio::test(start_paused = true)]
async fn a_second_stop_changes_nothing() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let running = Rig::start(rig.worker(mixed()));
    rig.events.wait_for("started a").await;
    running.stop.cancel();
    sleep(millis(100)).await;
    assert_eq!(running.stop().await.completed, 1);
    assert_eq!(rig.events.times_of("completed a"), [400]);
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_has_ended_leaves_the_store_open_and_asks_nothing_more_of_it() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1), job("b", 6)]).await;
    let running = Rig::start(rig.worker(mixed()).drain_deadline(millis(500)).grace(millis(100)));
    rig.events.wait_for("started b").await;
    running.stop().await;
    let then = rig.store.log();
    sleep(millis(3_600_000)).await;
    let now = rig.store.log();
    let calls = |log: &crate::support::Log| (log.claims, log.settles.len(), log.heartbeats.len());
    assert_eq!(calls(&now), calls(&then));
    assert_eq!(rig.store.counts(&rig.queue).await.expect("it is open").total(), 2);
}
