use super::{
    Report,
    dispatcher::Dispatcher,
    fetch::Fetcher,
    heartbeat, maintenance,
    plan::{Plan, Turn},
    presence,
    settle::Settler,
    shared::{Shared, Signals},
};
use crate::{handler::CancelReason, spawn::spawn};
use std::{pin::pin, sync::Arc, time::Duration};
use tokio::{sync::mpsc, task::JoinHandle, time::sleep};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// How long a stopping worker waits for a store that does not answer.
const ANSWER_WAIT: Duration = Duration::from_secs(5);

/// Owns the parts of one run, starts them and takes the steps of the shutdown. It is a task of its own, so that a run
/// whose future is dropped still ends in good order.
pub(super) struct Supervisor {
    pub(super) plan: Arc<Plan>,
    pub(super) shared: Arc<Shared>,
    /// Given back when everything has ended.
    pub(super) turn: Turn,
}

impl Supervisor {
    pub(super) async fn run(self) -> Report {
        let shared = &self.shared;
        let running = TaskTracker::new();
        let (foreground, background) = self.start(&running);
        let Signals { stop, abort, cut_off, idle, .. } = &shared.signals;
        stop.cancelled().await;
        drain(shared, &running).await;
        join(foreground, &[(shared.options.grace, abort), (ANSWER_WAIT, cut_off)]).await;
        idle.cancel();
        join(background, &[(ANSWER_WAIT, cut_off)]).await;
        for job in shared.held_jobs() {
            shared.abandon(&job);
        }
        // Before the turn is given back: the next run must not find the signal that stopped this one.
        self.plan.names.end(&shared.name);
        drop(self.turn);
        self.shared.report()
    }

    fn start(&self, running: &TaskTracker) -> ([JoinHandle<()>; 3], [JoinHandle<()>; 4]) {
        let shared = &self.shared;
        let (settlements, ended) = mpsc::unbounded_channel();
        let handler = self.plan.handler.clone();
        let dispatcher = Arc::new(Dispatcher::new(shared.clone(), handler, settlements, running.clone()));
        let background = [
            part(shared, heartbeat::run(shared.clone())),
            part(shared, maintenance::run_rescue(shared.clone())),
            part(shared, maintenance::run_prune(shared.clone())),
            part(shared, presence::run_presence(shared.clone())),
        ];
        let foreground = [
            part(shared, Fetcher::new(shared.clone(), dispatcher.clone()).run()),
            part(shared, dispatcher.run()),
            part(shared, Settler::new(shared.clone(), ended).run()),
        ];
        (foreground, background)
    }
}

/// Starts a part of the worker. One that panics stops the whole, which could not go on without it.
fn part(shared: &Shared, work: impl Future<Output = ()> + Send + 'static) -> JoinHandle<()> {
    let (stop, cut_off) = (shared.signals.stop.clone(), shared.signals.cut_off.clone());
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

/// Lets handlers finish, and after the deadline asks them to: at once where nothing that they answer can be stored.
async fn drain(shared: &Shared, running: &TaskTracker) {
    let reason = tokio::select! {
        biased;
        () = running.wait() => return,
        () = shared.signals.store_gone.cancelled() => CancelReason::LeaseLost,
        () = patience(shared.options.drain, &shared.signals.abort) => CancelReason::Shutdown,
    };
    shared.held_jobs().iter().for_each(|job| job.cancel(reason));
}

/// Waits for parts of the worker to end, and each time the patience is over takes the next step against what holds
/// them up.
async fn join<const N: usize>(parts: [JoinHandle<()>; N], steps: &[(Duration, &CancellationToken)]) {
    let mut ended = pin!(join_all(parts));
    for (wait, step) in steps {
        tokio::select! {
            biased;
            () = &mut ended => return,
            () = patience(*wait, step) => step.cancel(),
        }
    }
    ended.await;
}

/// Until the time is over, or somebody else took the step already.
async fn patience(wait: Duration, step: &CancellationToken) {
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
