//! The call of a handler: under its time limit, until its lease is lost or its worker ends.

use crate::{
    handler::{AttemptResult, CancelReason, Context, Disposition, JobError, JobHandler},
    runtime::caught,
    worker::hold::{HeldJob, Overrun},
};
use queue_core::{Failure, Payload, lifecycle::Cause};
use std::{future::pending, time::Duration};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

/// What a handler answers.
pub(super) type HandlerResult = Result<Payload, JobError>;

/// Why an attempt left nothing to store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::worker) enum NoOutcome {
    /// The job may not start any more, and is to be given back.
    GiveBack,
    /// The job may not start this late, and is to be ended.
    TooLate,
    /// The handler ran beyond the grace of a shutdown. Its job is to be given back, as one that has
    /// started.
    Interrupted,
    /// The handler lost its lease and went on beyond the grace. The lapse is left to be charged.
    LeaseLost,
}

/// The call of one handler.
pub(in crate::worker) struct HandlerRun<'a> {
    pub(in crate::worker) job: &'a HeldJob,
    pub(in crate::worker) context: &'a Context,
    /// How long the handler may run unless the job or its kind says otherwise.
    pub(in crate::worker) default_limit: Option<Duration>,
    /// How long the handler may go on after it was asked to stop.
    pub(in crate::worker) grace: Duration,
    /// Drops the handler at once.
    pub(in crate::worker) abort: &'a CancellationToken,
}

impl NoOutcome {
    /// As the span of the attempt shows it.
    pub(in crate::worker) fn name(self) -> &'static str {
        match self {
            Self::GiveBack => "given back",
            Self::TooLate => "expired",
            Self::Interrupted => "interrupted",
            Self::LeaseLost => "lease lost",
        }
    }
}

impl HandlerRun<'_> {
    pub(in crate::worker) async fn run(&self, handler: &JobHandler) -> Result<AttemptResult, NoOutcome> {
        let started = Instant::now();
        // A panic of the handler is caught here, in its call and in its drop too.
        let attempt = caught(async {
            tokio::select! {
                biased;
                result = handler.handle(self.context.clone()) => Ok(self.judged(result)),
                () = self.abort.cancelled() => Err(NoOutcome::Interrupted),
                overrun = self.out_of_time(started) => match overrun {
                    Overrun::Limit => Ok(Err(overdue(self.limit()))),
                    Overrun::LeaseLost => Err(NoOutcome::LeaseLost),
                },
            }
        });
        let result = attempt.await.unwrap_or_else(|panic| Ok(Err(panicked(&panic))))?;
        Ok(AttemptResult::new(result, Some(started.elapsed())))
    }

    /// Asks the handler to stop at its time limit, and resolves when it may be dropped: after the
    /// grace, as when its lease is lost. A handler that cannot be dropped is awaited, since a
    /// second attempt beside it would be worse than a late one.
    async fn out_of_time(&self, started: Instant) -> Overrun {
        let overrun = self.job.time_limit().passed(started, self.default_limit).await;
        if overrun == Overrun::Limit {
            self.job.cancel(CancelReason::TimeLimit);
        }
        sleep(self.grace).await;
        if self.job.is_blocking() {
            pending::<()>().await;
        }
        overrun
    }

    /// A result counts however late it comes, since the work is done. Any other answer after the
    /// time limit is a failure named `TimeLimit`; otherwise the handler could run for ever without
    /// being charged.
    fn judged(&self, result: HandlerResult) -> HandlerResult {
        match result {
            Err(error) if self.job.cancel_reason() == Some(CancelReason::TimeLimit) => {
                Err(late(self.limit(), error))
            }
            result => result,
        }
    }

    fn limit(&self) -> Duration {
        self.job.time_limit().get(self.default_limit).unwrap_or(Duration::MAX)
    }
}

/// The failure of a handler that answered nothing by its time limit.
fn overdue(limit: Duration) -> JobError {
    JobError::failed(Failure::new("TimeLimit", message(limit, "")), Cause::Retryable)
}

fn message(limit: Duration, then: &str) -> String {
    format!("the handler ran longer than {limit:?}{then}")
}

/// The failure of a handler that answered after its time limit. It keeps what the answer said about
/// the next attempt.
fn late(limit: Duration, answer: JobError) -> JobError {
    match answer.disposition {
        Disposition::Fail { failure, cause, delay, keep } => {
            let details = failure.details().cloned();
            let failure = Failure::new("TimeLimit", message(limit, &format!(", and then failed: {failure}")));
            let failure = details.into_iter().fold(failure, Failure::with_details);
            JobError { disposition: Disposition::Fail { failure, cause, delay, keep }, then: answer.then }
        }
        Disposition::Snooze(wait) => overdue(limit).retry_in(wait.as_duration()),
        Disposition::Release => overdue(limit),
    }
}

fn panicked(message: &str) -> JobError {
    JobError::failed(Failure::new("Panic", message), Cause::Retryable)
}
