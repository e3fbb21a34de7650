//! Starts the parts of one run and takes the steps of its shutdown.

use super::{
    WorkerRun,
    shutdown_steps::ShutdownSteps,
    worker_plan::{RunTurn, WorkerPlan},
};
use crate::{
    handler::CancelReason,
    spawn::spawn,
    worker::{
        attempt::{Dispatcher, watch_pauses},
        claim::Fetcher,
        hold::keep_leases,
        settle::Settler,
        upkeep,
        watch::{self, WorkerReport},
    },
};
use std::{pin::pin, sync::Arc, time::Duration};
use tokio::{sync::mpsc, task::JoinHandle, time::sleep};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// How long a stopping worker waits for a store that does not answer.
const ANSWER_WAIT: Duration = Duration::from_secs(5);

/// Owns the parts of one run. The supervisor is a task of its own, so that a run whose future is
/// dropped still takes all steps of the shutdown.
pub(super) struct Supervisor {
    pub(super) plan: Arc<WorkerPlan>,
    pub(super) run: Arc<WorkerRun>,
    /// Given back when everything has ended.
    pub(super) turn: RunTurn,
}

/// The tasks of a run, by the step of the shutdown in which they end.
struct RunParts {
    /// Move jobs along. They end by themselves once the last job is settled.
    foreground: [JoinHandle<()>; 4],
    /// Keep leases and do maintenance. They go on until nothing is held any more.
    background: [JoinHandle<()>; 5],
}

impl Supervisor {
    pub(super) async fn supervise(self) -> WorkerReport {
        let run = &self.run;
        let handlers = TaskTracker::new();
        let RunParts { foreground, background } = self.start(&handlers);
        let ShutdownSteps { stop, abort, cut_off, idle, .. } = &run.shutdown;
        stop.cancelled().await;
        drain(run, &handlers).await;
        join(foreground, &[(run.options.grace, abort), (ANSWER_WAIT, cut_off)]).await;
        idle.cancel();
        join(background, &[(ANSWER_WAIT, cut_off)]).await;
        for job in run.held.all() {
            run.abandon(&job);
        }
        // Before the turn is given back: the next run must not find the signal that stopped this
        // one.
        self.plan.names.end(&run.name);
        drop(self.turn);
        self.run.report()
    }

    fn start(&self, handlers: &TaskTracker) -> RunParts {
        let run = &self.run;
        let (settlements, inbox) = mpsc::unbounded_channel();
        let handler = self.plan.handler.clone();
        let dispatcher = Arc::new(Dispatcher::new(run.clone(), handler, settlements, handlers.clone()));
        // These parts end after the others: leases are extended until the last outcome is stored.
        let background = [
            part(run, keep_leases(run.clone())),
            part(run, upkeep::rescue_at_intervals(run.clone())),
            part(run, upkeep::prune_at_intervals(run.clone())),
            part(run, watch::announce_presence(run.clone())),
            part(run, watch::write_series(run.clone())),
        ];
        let foreground = [
            part(run, Fetcher::new(run.clone(), dispatcher.clone()).fetch()),
            part(run, watch_pauses(run.clone(), dispatcher.clone())),
            part(run, dispatcher.watch_ready_jobs()),
            part(run, Settler::new(run.clone(), inbox).settle()),
        ];
        RunParts { foreground, background }
    }
}

/// Starts a part of the worker. A part that panics stops the worker, which could not go on without
/// it.
fn part(run: &WorkerRun, work: impl Future<Output = ()> + Send + 'static) -> JoinHandle<()> {
    let ShutdownSteps { stop, cut_off, .. } = run.shutdown.clone();
    spawn(async move {
        let stop_all = stop.drop_guard();
        tokio::select! {
            biased;
            () = work => {}
            () = cut_off.cancelled() => {}
        }
        let _still_runs = stop_all.disarm();
    })
}

/// Lets handlers finish, and cancels them after the deadline. Where the store was closed they are
/// cancelled at once, since no answer of theirs can be stored.
async fn drain(run: &WorkerRun, handlers: &TaskTracker) {
    let reason = tokio::select! {
        biased;
        () = handlers.wait() => return,
        () = run.shutdown.store_gone.cancelled() => CancelReason::LeaseLost,
        () = wait_for_step(run.options.drain, &run.shutdown.abort) => CancelReason::Shutdown,
    };
    run.held.all().iter().for_each(|job| job.cancel(reason));
}

/// Waits for parts of the worker to end. Each time that a wait is over, the next step is taken
/// against what holds them up.
async fn join<const N: usize>(parts: [JoinHandle<()>; N], steps: &[(Duration, &CancellationToken)]) {
    let mut ended = pin!(join_all(parts));
    for (wait, step) in steps {
        tokio::select! {
            biased;
            () = &mut ended => return,
            () = wait_for_step(*wait, step) => step.cancel(),
        }
    }
    ended.await;
}

/// Resolves when the wait is over, or when the step was taken already.
async fn wait_for_step(wait: Duration, step: &CancellationToken) {
    tokio::select! {
        biased;
        () = step.cancelled() => {}
        () = sleep(wait) => {}
    }
}

async fn join_all<const N: usize>(parts: [JoinHandle<()>; N]) {
    for part in parts {
        if let Err(error) = part.await {
            tracing::error!(%error, "a part of the worker panicked, which is a bug");
        }
    }
}
