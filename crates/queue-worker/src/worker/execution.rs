use super::{
    HeldJob, Lease, WorkerEvent,
    dispatcher::Outcome,
    report::Counted,
    settlement::{Settlement, of_executed},
    shared::Shared,
    time_limit::Overrun,
    trace,
};
use crate::{
    handler::{CancelReason, Context, Executed, JobError, JobHandler, Verdict},
    runtime::caught,
};
use queue_core::{Failure, lifecycle::Cause};
use std::{future::pending, sync::Arc, time::Duration};
use tokio::time::{Instant, sleep};
use tracing::Span;

/// Why an attempt left nothing to store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoOutcome {
    /// It may not start any more: the job is to be given back.
    GiveBack,
    /// It is too late for it to start: the job is to be ended.
    TooLate,
    /// It ran out of the worker's patience: the job is to be given back, as one that has started.
    Interrupted,
    /// It lost its lease and went on beyond the grace: the lapse is left to be charged.
    LeaseLost,
}

/// One attempt at a job: the hooks before, the handler under its time limit, the hooks after.
pub(super) struct Execution<'a> {
    shared: &'a Arc<Shared>,
    job: &'a Arc<HeldJob>,
    context: Context,
}

impl<'a> Execution<'a> {
    pub(super) fn new(shared: &'a Arc<Shared>, job: &'a Arc<HeldJob>) -> Self {
        Self { shared, job, context: Context::new(job.clone(), Lease::new(shared)) }
    }

    /// Tells the span what came of it, unless that is no outcome.
    pub(super) async fn run(self, handler: &JobHandler, span: &Span) -> Result<Settlement, NoOutcome> {
        let mut passed = self.shared.options.hooks.before(self.shared, &self.context).await;
        let executed = match passed.answer.take() {
            Some(answer) => Executed::new(answer, None),
            // Hooks may have taken their time. What may not start any more is given back.
            None if passed.took_time() && !self.may_start() => return Err(NoOutcome::GiveBack),
            None if self.job.is_too_late() => return Err(NoOutcome::TooLate),
            None => self.attempt(handler).await?,
        };
        let executed = passed.after(self.shared, &self.context, executed).await;
        trace::ended(span, &executed);
        Ok(of_executed(self.job.clone(), executed))
    }

    fn may_start(&self) -> bool {
        self.job.may_start() && !self.shared.signals.abort.is_cancelled()
    }

    async fn attempt(&self, handler: &JobHandler) -> Result<Executed, NoOutcome> {
        self.shared.note(Counted::Started, || WorkerEvent::Started(self.job.meta().clone()));
        let started = Instant::now();
        // Whatever of the handler panics, its call or its drop too, panics in here.
        let attempt = caught(async {
            tokio::select! {
                biased;
                outcome = handler.handle(self.context.clone()) => Ok(self.judged(outcome)),
                () = self.shared.signals.abort.cancelled() => Err(NoOutcome::Interrupted),
                overrun = self.out_of_time(started) => match overrun {
                    Overrun::Limit => Ok(Err(overdue(self.limit()))),
                    Overrun::LeaseLost => Err(NoOutcome::LeaseLost),
                },
            }
        });
        let outcome = attempt.await.unwrap_or_else(|panic| Ok(Err(panicked(&panic))))?;
        Ok(Executed::new(outcome, Some(started.elapsed())))
    }

    /// Tells the handler at its time limit, and resolves when it may be dropped: after the grace, as when its lease was lost.
    /// What cannot be dropped is waited for: a second attempt beside it would be worse than a late one.
    async fn out_of_time(&self, started: Instant) -> Overrun {
        let overrun = self.job.time_limit().passed(started, self.shared.options.time_limit).await;
        if overrun == Overrun::Limit {
            self.job.cancel(CancelReason::TimeLimit);
        }
        sleep(self.shared.options.grace).await;
        if self.job.is_blocking() {
            pending::<()>().await;
        }
        overrun
    }

    /// A result counts however late it comes, since the work is done. Anything else from a handler that was told of its
    /// time limit is a failure by that name, or it could go on for ever without being charged.
    fn judged(&self, outcome: Outcome) -> Outcome {
        match outcome {
            Err(error) if self.job.cancel_reason() == Some(CancelReason::TimeLimit) => {
                Err(late(self.limit(), error))
            }
            outcome => outcome,
        }
    }

    fn limit(&self) -> Duration {
        self.job.time_limit().get(self.shared.options.time_limit).unwrap_or(Duration::MAX)
    }
}

/// The failure of a handler that said nothing better.
fn overdue(limit: Duration) -> JobError {
    JobError::failed(Failure::new("TimeLimit", message(limit, "")), Cause::Retryable)
}

fn message(limit: Duration, then: &str) -> String {
    format!("the handler ran longer than {limit:?}{then}")
}

/// The failure of one that answered late, with what it said of a next attempt.
fn late(limit: Duration, answer: JobError) -> JobError {
    match answer.verdict {
        Verdict::Fail { failure, cause, delay, keep } => {
            let said = failure.details().cloned();
            let failure = Failure::new("TimeLimit", message(limit, &format!(", and then failed: {failure}")));
            let failure = said.into_iter().fold(failure, Failure::with_details);
            JobError { verdict: Verdict::Fail { failure, cause, delay, keep }, then: answer.then }
        }
        Verdict::Snooze(wait) => overdue(limit).retry_in(wait.as_duration()),
        Verdict::Release => overdue(limit),
    }
}

fn panicked(message: &str) -> JobError {
    JobError::failed(Failure::new("Panic", message), Cause::Retryable)
}
