//! Outcomes on their way to the store.

use crate::support::{Fault, OnBatch, Rig, job, millis, router};
use queue_core::{
    ErrorKind, Prune, PruneRequest, Retention, State, Storage,
    lifecycle::{Event, OnProcessing},
};
use queue_worker::{Context, JobError, Router};
use tokio::time::sleep;

fn succeeding() -> Router {
    router(|n, _| async move { Ok(n) })
}

/// A handler that completes with a follower of a fixed id.
fn followed() -> Router {
    router(|n, context: Context| async move {
        if n < 100 {
            context.then(job("next", 100));
        }
        Ok(n)
    })
}

/// Injects a fault the first `n` times.
fn at_first(n: usize, fault: Fault) -> OnBatch {
    let mut calls = 0;
    Box::new(move |_| {
        calls += 1;
        if calls <= n { fault } else { Fault::None }
    })
}

/// Injects a fault into every batch with this job.
fn whenever(name: &'static str, fault: Fault) -> OnBatch {
    Box::new(move |batch| if batch.iter().any(|it| it.id.as_str() == name) { fault } else { Fault::None })
}

#[tokio::test(start_paused = true)]
async fn a_settle_that_fails_is_sent_again_until_it_is_stored() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    rig.store.script().on_settle = Some(at_first(5, Fault::Refuse(ErrorKind::Unavailable)));
    let report = rig.drain(rig.worker(followed())).await;
    assert_eq!((report.completed, report.started), (2, 2));
    assert_eq!(rig.events.count("error Unavailable"), 5);
    assert_eq!(rig.events.count("replayed a"), 0, "it was refused, so nothing was in doubt");
    assert_eq!(rig.events.count("completed a"), 1);
}

#[tokio::test(start_paused = true)]
async fn a_settle_whose_reply_was_lost_counts_once_and_is_followed_once() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    rig.store.script().on_settle = Some(at_first(2, Fault::LoseReply));
    let report = rig.drain(rig.worker(followed())).await;
    assert_eq!(report.completed, 2);
    assert_eq!((rig.events.count("completed a"), rig.events.count("completed next")), (1, 1));
    assert_eq!((rig.events.count("replayed a"), rig.events.count("replayed next")), (1, 0));
    assert_eq!(rig.meta("next").await.epoch, 1);
}

#[tokio::test(start_paused = true)]
async fn a_job_removed_by_a_settle_whose_reply_was_lost_is_completed() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1).with_retention(Retention::Remove)]).await;
    rig.store.script().on_settle = Some(at_first(1, Fault::LoseReply));
    let report = rig.drain(rig.worker(succeeding())).await;
    assert_eq!((report.completed, report.leases_lost), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn a_job_purged_before_a_settle_that_was_refused_is_not_called_completed() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    rig.store.script().on_settle = Some(at_first(1, Fault::Refuse(ErrorKind::Unavailable)));
    let running = Rig::start(rig.worker(succeeding()));
    rig.events.wait_for("error Unavailable").await;
    let everything = PruneRequest { queue: rig.queue.clone(), what: Prune::Everything, limit: 10 };
    rig.store.prune(everything).await.expect("prunes");
    rig.events.wait_for("lost a").await;
    let report = running.stop().await;
    assert_eq!((report.completed, report.leases_lost), (0, 1));
}

#[tokio::test(start_paused = true)]
async fn a_slot_stays_taken_until_the_outcome_is_durable() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1), job("b", 2)]).await;
    rig.store.script().on_settle = Some(Box::new(|_| Fault::Late(millis(1000))));
    rig.drain(rig.worker(succeeding()).concurrency(1).prefetch(0)).await;
    assert_eq!(rig.events.times_of("started a"), [0]);
    assert_eq!(rig.events.times_of("started b"), [1000]);
}

#[tokio::test(start_paused = true)]
async fn outcomes_that_wait_go_together_in_one_call() {
    let rig = Rig::new();
    rig.enqueue((0..9).map(|n| job(&n.to_string(), n))).await;
    rig.store.script().on_settle = Some(Box::new(|_| Fault::Late(millis(100))));
    let handler = router(|n, _| async move {
        sleep(millis(u64::from(n))).await;
        Ok(())
    });
    rig.drain(rig.worker(handler).concurrency(9).settle_batch_max(5)).await;
    assert_eq!(rig.store.log().settles, [1, 5, 3]);
}

#[tokio::test(start_paused = true)]
async fn a_settle_that_cannot_be_stored_is_given_up_at_the_shutdown_deadline() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    rig.store.script().on_settle = Some(Box::new(|_| Fault::Refuse(ErrorKind::Unavailable)));
    let running = Rig::start(rig.worker(succeeding()).grace(millis(4000)));
    rig.events.wait_for("error Unavailable").await;
    sleep(millis(60_000)).await;
    assert_eq!(rig.events.count("abandoned a"), 0, "it is tried as long as the worker runs");
    let (stopped_at, report) = (rig.events.elapsed_ms(), running.stop().await);
    assert_eq!(rig.events.times_of("abandoned a"), [stopped_at + 4000]);
    assert_eq!((report.completed, report.abandoned), (0, 1));
    assert_eq!(rig.meta("a").await.state, State::Processing);
}

#[tokio::test(start_paused = true)]
async fn a_settle_that_is_never_answered_does_not_hold_up_the_shutdown() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    rig.store.script().on_settle = Some(Box::new(|_| Fault::Hang));
    let running = Rig::start(rig.worker(succeeding()).grace(millis(4000)));
    rig.events.wait_for("started a").await;
    let report = running.stop().await;
    assert_eq!((report.completed, report.abandoned), (0, 1));
}

#[tokio::test(start_paused = true)]
async fn an_outcome_decided_on_flags_that_moved_is_decided_again() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1).with_retention(Retention::Remove), job("b", 2)]).await;
    let running = Rig::start(rig.worker(router(|n, _| async move {
        sleep(millis(100)).await;
        if n == 1 { Ok(()) } else { Err(JobError::named("Test", "it fails")) }
    })));
    rig.events.wait_for("started b").await;
    rig.change("a", Event::Await).await;
    rig.change("b", Event::Await).await;
    rig.change("b", Event::Cancel { processing: OnProcessing::Request }).await;
    rig.events.wait_for("completed a").await;
    rig.events.wait_for("cancelled b").await;
    assert_eq!(rig.meta("a").await.state, State::Completed, "kept for who waits");
    assert_eq!(rig.meta("b").await.state, State::Cancelled, "not failing");
    let report = running.stop().await;
    assert_eq!((report.completed, report.cancelled, report.leases_lost), (1, 1, 0));
}

#[tokio::test(start_paused = true)]
async fn answers_that_a_store_leaves_out_are_asked_for_again() {
    let rig = Rig::new();
    rig.enqueue((0..4).map(|n| job(&n.to_string(), n))).await;
    let mut calls = 0;
    rig.store.script().edit_applied = Some(Box::new(move |applied| {
        calls += 1;
        if calls <= 2 {
            applied.pop();
        }
    }));
    let report = rig.drain(rig.worker(succeeding())).await;
    assert_eq!((report.completed, report.started), (4, 4));
    assert!(rig.events.count("error Internal") >= 1);
}

#[tokio::test(start_paused = true)]
async fn a_batch_refused_as_invalid_is_split_and_only_the_bad_one_is_given_up() {
    let rig = Rig::new();
    rig.enqueue((0..4).map(|n| job(&n.to_string(), n))).await;
    rig.store.script().on_settle = Some(whenever("2", Fault::Refuse(ErrorKind::Invalid)));
    let running = Rig::start(rig.worker(succeeding()));
    rig.events.wait_for("abandoned 2").await;
    rig.events.wait_for("completed 3").await;
    let report = running.stop().await;
    assert_eq!((report.completed, report.abandoned), (3, 1));
}

#[tokio::test(start_paused = true)]
async fn a_record_that_is_corrupt_does_not_hold_up_the_others() {
    let rig = Rig::new();
    rig.enqueue((0..4).map(|n| job(&n.to_string(), n))).await;
    rig.store.script().on_settle = Some(whenever("2", Fault::Refuse(ErrorKind::Corrupt)));
    let running = Rig::start(rig.worker(succeeding()));
    rig.events.wait_for("completed 3").await;
    rig.events.wait_for("abandoned 2").await;
    let report = running.stop().await;
    assert_eq!((report.completed, report.abandoned), (3, 1));
}

#[tokio::test(start_paused = true)]
async fn a_store_that_is_closed_ends_the_settles_and_not_the_worker() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let store = rig.store.clone();
    let running = Rig::start(rig.worker(router(move |_, _| {
        let store = store.clone();
        async move { Ok(store.close().await?) }
    })));
    rig.events.wait_for("abandoned a").await;
    sleep(millis(60_000)).await;
    let claims = rig.store.log().claims;
    assert!(claims <= 40, "{claims} claims in a minute");
    assert_eq!(running.stop().await.abandoned, 1);
}

#[tokio::test(start_paused = true)]
async fn an_outcome_whose_record_keeps_moving_is_given_up_as_a_conflict_and_the_job_runs_again() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    rig.store.script().all_moves = true;
    let running = Rig::start(rig.worker(succeeding()).lease(millis(3000)));
    rig.events.wait_for("abandoned a").await;
    rig.store.script().all_moves = false;
    rig.events.wait_for("completed a").await;
    let report = running.stop().await;
    assert_eq!((report.started, report.completed), (2, 1));
    assert_eq!((report.abandoned, report.leases_lost), (1, 0));
    assert_eq!(rig.events.count("error Conflict"), 1);
}

#[tokio::test(start_paused = true)]
async fn a_store_that_goes_away_while_a_batch_is_split_is_not_asked_for_each_of_it() {
    let rig = Rig::new();
    rig.enqueue((0..4).map(|n| job(&n.to_string(), n))).await;
    rig.store.script().on_settle = Some(Box::new(|batch| {
        Fault::Refuse(if batch.len() > 1 { ErrorKind::Corrupt } else { ErrorKind::Unavailable })
    }));
    let running = Rig::start(rig.worker(succeeding()));
    rig.events.wait_for("error Unavailable").await;
    sleep(millis(10)).await;
    assert_eq!(rig.store.log().settles, [4, 1]);
    rig.store.script().on_settle = None;
    rig.events.wait_for("completed 3").await;
    assert_eq!(running.stop().await.completed, 4);
}
