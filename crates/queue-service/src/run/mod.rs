//! One run of a worker. Its parts wait side by side in the future of the run: `claims` asks for
//! jobs, `heartbeat` keeps their leases, `batches` sends outcomes, `presence` shows the worker to
//! operators, and `steps` is how it ends. Each job has a task of its own (`job`), so that a handler
//! holds up none of them.

mod batches;
mod claims;
mod heartbeat;
mod held;
mod job;
mod outcome;
mod plan;
mod presence;
mod steps;
mod storable;
mod token_wait;
mod verdict;

pub(crate) use plan::{Observer, Plan, cut};
pub(crate) use steps::StopSteps;

use crate::ServiceError;
use batches::Batches;
use held::{HeldJobs, RunningHandlers};
use parking_lot::Mutex;
use queue_core::{Error, WorkerId};
use queue_worker::{WorkerEvent, WorkerReport, hosted::HostedRun};
use std::sync::Arc;
use token_wait::TokenWait;

/// What the parts of a run share.
pub(crate) struct Run {
    plan: Plan,
    /// The name of this run.
    id: WorkerId,
    hosted: HostedRun,
    held: HeldJobs,
    handlers: RunningHandlers,
    batches: Batches,
    /// The claim that is under way, or whose answer did not come.
    claim_id: Mutex<Option<String>>,
    steps: StopSteps,
    token_wait: TokenWait,
    report: Mutex<WorkerReport>,
}

/// Works until it is stopped and the last job has ended, or until the service refuses to go on.
pub(crate) async fn run(plan: Plan, steps: StopSteps) -> Result<WorkerReport, ServiceError> {
    let id = plan.run_name();
    let (batches, waiting) = Batches::new();
    let run = Arc::new(Run {
        hosted: HostedRun::new(id.clone(), plan.grace, steps.abort.clone()),
        token_wait: TokenWait::new(plan.token_file.clone()),
        plan,
        id,
        held: HeldJobs::default(),
        handlers: RunningHandlers::default(),
        batches,
        claim_id: Mutex::default(),
        steps,
        report: Mutex::default(),
    });
    let beside = async {
        tokio::join!(
            run.heartbeats(),
            run.watch_lapses(),
            run.announcements(),
            run.send_batches(waiting),
            run.take_steps(),
        )
    };
    let ended = tokio::select! {
        ended = run.work() => ended,
        (never, ..) = beside => match never {},
    };
    run.retire().await;
    ended.map(|()| run.report.lock().clone())
}

impl Run {
    fn emit(&self, event: &WorkerEvent) {
        self.plan.observer.tell(event);
    }

    fn count(&self, note: impl FnOnce(&mut WorkerReport)) {
        note(&mut self.report.lock());
    }

    /// Reports a call that is tried again, or that was refused.
    fn warn(&self, error: ServiceError) {
        self.emit(&WorkerEvent::Error(Error::from(error)));
    }

    /// Claims nothing more, and lets what runs end.
    fn drain(&self) {
        if !self.steps.stop.is_cancelled() {
            self.emit(&WorkerEvent::Draining);
            self.steps.stop.cancel();
        }
    }
}
