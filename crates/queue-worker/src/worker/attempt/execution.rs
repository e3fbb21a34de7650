//! One attempt at a job: the hooks before, the handler, the hooks after.

use super::handler_run::{HandlerRun, NoOutcome};
use crate::{
    handler::{AttemptResult, Context, JobHandler},
    worker::{
        hold::{HeldJob, Lease},
        run::WorkerRun,
        settle::Settlement,
        trace,
        watch::{ReportCounter, WorkerEvent},
    },
};
use std::sync::Arc;
use tracing::Span;

/// One attempt.
pub(super) struct Execution<'a> {
    run: &'a Arc<WorkerRun>,
    job: &'a Arc<HeldJob>,
    context: Context,
}

impl<'a> Execution<'a> {
    pub(super) fn new(run: &'a Arc<WorkerRun>, job: &'a Arc<HeldJob>) -> Self {
        Self { run, job, context: Context::new(job.clone(), Lease::new(run)) }
    }

    /// Makes the attempt, and records the outcome in its span if there is one.
    pub(super) async fn run(self, handler: &JobHandler, span: &Span) -> Result<Settlement, NoOutcome> {
        let mut pass = self.run.options.hooks.before(self.run, &self.context).await;
        let executed = match pass.answer.take() {
            Some(answer) => AttemptResult::new(answer, None),
            // Hooks may take long. A job that may not start any more is given back.
            None if pass.took_time() && !self.may_start() => return Err(NoOutcome::GiveBack),
            None if self.job.is_too_late() => return Err(NoOutcome::TooLate),
            None => self.attempt(handler).await?,
        };
        // Noted before the hooks run, since the work is done.
        self.job.note_outcome();
        let executed = pass.after(self.run, &self.context, executed).await;
        trace::ended(span, self.job, &executed);
        Ok(Settlement::of_executed(self.job.clone(), executed))
    }

    fn may_start(&self) -> bool {
        self.job.may_start() && !self.run.shutdown.abort.is_cancelled()
    }

    async fn attempt(&self, handler: &JobHandler) -> Result<AttemptResult, NoOutcome> {
        self.run.events.note(ReportCounter::Started, || WorkerEvent::Started(self.job.meta().clone()));
        let run = HandlerRun {
            job: self.job,
            context: &self.context,
            default_limit: self.run.options.time_limit,
            grace: self.run.options.grace,
            abort: &self.run.shutdown.abort,
        };
        run.run(handler).await
    }
}
