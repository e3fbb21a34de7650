//! Hooks that fail, and hooks that are slow.

use crate::support::{Fault, Rig, job, millis, router};
use async_trait::async_trait;
use queue_core::{
    ContentType, Payload, State,
    lifecycle::{Event, OnProcessing},
};
use queue_worker::{
    AttemptResult, Before, Context, HOOK_MAX, Hook, Router, WorkerEvent, after_fn, before_fn,
    runtime::BoxError,
};
use std::sync::{Arc, Mutex};
use tokio::time::sleep;

fn succeeding() -> Router {
    router(|n, _| async move { Ok(n) })
}

/// The ways in which a hook can fail.
#[derive(Clone, Copy, PartialEq)]
enum Bad {
    Error,
    Panic,
    /// A panic outside the future.
    PanicAtOnce,
    Hang,
}

/// A hook that fails before and after.
struct Failing(Bad);

impl Failing {
    async fn fail<T>(&self) -> Result<T, BoxError> {
        match self.0 {
            Bad::Error => Err("password=hunter2".into()),
            Bad::Panic => panic!("the hook cannot stand it"),
            Bad::PanicAtOnce => unreachable!("it has panicked"),
            Bad::Hang => std::future::pending().await,
        }
    }
}

/// `async_trait` would write this, with work outside the future.
impl Hook for Failing {
    fn name(&self) -> &'static str {
        "failing"
    }

    fn before<'a, 'b, 'c>(
        &'a self,
        _: &'b Context,
    ) -> futures_util::future::BoxFuture<'c, Result<Before, BoxError>>
    where
        'a: 'c,
        'b: 'c,
    {
        assert!(self.0 != Bad::PanicAtOnce, "before there is a future");
        Box::pin(self.fail())
    }

    fn after<'a, 'b, 'c>(
        &'a self,
        _: &'b Context,
        mut executed: AttemptResult,
    ) -> futures_util::future::BoxFuture<'c, Result<AttemptResult, BoxError>>
    where
        'a: 'c,
        'b: 'c,
    {
        executed.outcome = Ok(Payload::new("spoilt", ContentType::from_static("text/plain")));
        assert!(self.0 != Bad::PanicAtOnce, "before there is a future");
        Box::pin(self.fail())
    }
}

/// A hook that lets the job pass, and then fails like the other.
struct FailingAfter(Failing);

#[async_trait]
impl Hook for FailingAfter {
    async fn after(&self, job: &Context, executed: AttemptResult) -> Result<AttemptResult, BoxError> {
        self.0.after(job, executed).await
    }
}

#[tokio::test(start_paused = true)]
async fn a_hook_that_fails_changes_nothing_and_is_reported() {
    let all =
        [(Bad::Error, "Error"), (Bad::Panic, "Panic"), (Bad::PanicAtOnce, "Panic"), (Bad::Hang, "TimeLimit")];
    for (bad, name) in all {
        let rig = Rig::new();
        rig.enqueue([job("a", 7)]).await;
        let worker = rig.worker(succeeding()).hook(FailingAfter(Failing(bad))).hook(Failing(bad));
        let report = rig.drain(worker).await;
        assert_eq!(rig.record("a").await.result().expect("completed").bytes, "7");
        assert_eq!((report.started, report.completed), (1, 1));
        let (before, after) = (format!("hook Before {name} a"), format!("hook After {name} a"));
        let expected = [before.as_str(), "started a", after.as_str(), "completed a"];
        assert_eq!(rig.events.labels(), expected);
        let waits = if bad == Bad::Hang { 2 * HOOK_MAX } else { millis(0) };
        assert_eq!(u128::from(rig.events.times_of("completed a")[0]), waits.as_millis());
    }
}

#[tokio::test(start_paused = true)]
async fn the_report_of_a_failed_hook_names_it_and_masks_secrets() {
    let (rig, log) = (Rig::new(), Arc::new(Mutex::new(Vec::new())));
    rig.enqueue([job("a", 1)]).await;
    let seen = log.clone();
    let worker = rig.worker(succeeding()).hook(Failing(Bad::Error)).on_event(move |event| {
        if let WorkerEvent::HookFailed { hook, failure, .. } = event {
            seen.lock().expect("unpoisoned").push(format!("{hook}: {}", failure.message()));
        }
    });
    rig.drain(worker).await;
    assert_eq!(*log.lock().expect("unpoisoned"), ["failing: password=***"]);
}

#[tokio::test(start_paused = true)]
async fn a_job_whose_hook_still_ponders_at_the_end_of_a_stop_is_given_back_uncharged() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let endless = before_fn(|_| async { std::future::pending().await });
    let worker = rig.worker(succeeding()).drain_deadline(millis(100)).grace(millis(100)).hook(endless);
    let running = Rig::start(worker);
    sleep(millis(10)).await;
    let report = running.stop().await;
    assert_eq!((report.started, report.released), (0, 1));
    let meta = rig.meta("a").await;
    assert_eq!((meta.state, meta.failures, meta.stalls), (State::Queued, 0, 0));
}

#[tokio::test(start_paused = true)]
async fn an_outcome_whose_hook_still_ponders_at_the_end_of_a_stop_is_stored_as_it_stands() {
    let rig = Rig::new();
    rig.enqueue([job("a", 7)]).await;
    let endless = after_fn(|_, _| async { std::future::pending().await });
    let worker = rig.worker(succeeding()).drain_deadline(millis(100)).grace(millis(100)).hook(endless);
    let running = Rig::start(worker);
    rig.events.wait_for("started a").await;
    let report = running.stop().await;
    assert_eq!((report.completed, report.released), (1, 0));
    assert_eq!(rig.events.count("hook After Shutdown a"), 1);
    assert_eq!(rig.record("a").await.result().expect("completed").bytes, "7");
}

#[tokio::test(start_paused = true)]
async fn leases_are_kept_alive_while_hooks_work() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let slow = before_fn(|_| async {
        sleep(millis(9000)).await;
        Ok(Before::Run)
    });
    let report = rig.drain(rig.worker(succeeding()).lease(millis(1000)).hook(slow)).await;
    assert_eq!((report.completed, report.leases_lost, report.rescued), (1, 0, 0));
}

/// A hook that takes longer than a lease and a drain, and lets every job pass.
fn pondering() -> impl Hook {
    before_fn(|_| async {
        sleep(millis(5000)).await;
        Ok(Before::Run)
    })
}

#[tokio::test(start_paused = true)]
async fn a_job_that_lost_its_lease_while_a_hook_pondered_does_not_start() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    rig.store.script().on_heartbeat = Some(Box::new(|_| Fault::Hang));
    let worker = rig.worker(succeeding()).lease(millis(3000)).rescue_interval(millis(1_000_000));
    let running = Rig::start(worker.poll_interval(millis(1_000_000)).hook(pondering()));
    sleep(millis(5001)).await;
    assert_eq!(rig.events.count("started a"), 0);
    assert_eq!(running.stop().await.completed, 0);
}

#[tokio::test(start_paused = true)]
async fn a_job_whose_cancel_was_asked_for_while_a_hook_pondered_is_cancelled_unstarted() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let running = Rig::start(rig.worker(succeeding()).lease(millis(3000)).hook(pondering()));
    sleep(millis(10)).await;
    rig.change("a", Event::Cancel { processing: OnProcessing::Request }).await;
    rig.events.wait_for("cancelled a").await;
    let report = running.stop().await;
    assert_eq!((report.started, report.cancelled, rig.meta("a").await.state), (0, 1, State::Cancelled));
}

#[tokio::test(start_paused = true)]
async fn a_job_does_not_start_after_a_hook_that_ended_past_the_drain_deadline() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let worker = rig.worker(succeeding()).drain_deadline(millis(100)).grace(millis(60_000));
    let running = Rig::start(worker.hook(pondering()));
    sleep(millis(10)).await;
    let report = running.stop().await;
    assert_eq!((report.started, report.released), (0, 1));
    assert_eq!((rig.meta("a").await.state, rig.events.elapsed_ms()), (State::Queued, 5000));
}
