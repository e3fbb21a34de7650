//! A program's own look at every job, before and after its handler.

use super::{Context, JobError};
use crate::runtime::BoxError;
use async_trait::async_trait;
use queue_core::{Keep, Payload};
use std::time::Duration;

/// Looks at every job of a worker before and after its handler, and may change what is stored.
///
/// Added with [`WorkerBuilder::hook`](crate::WorkerBuilder::hook). `before` goes in the order of
/// adding and `after` in reverse, so the hook added first is the outermost. `after` is called for
/// exactly those hooks whose `before` let the job pass, after each end of it: the handler's answer,
/// its panic, its time limit, or the answer of a hook further in.
///
/// **A hook that fails changes nothing.** An error, a panic, or no answer within [`HOOK_MAX`]
/// leaves the job as it was before that call, and is reported as
/// [`WorkerEvent::HookFailed`](crate::WorkerEvent::HookFailed).
///
/// At the end of a shutdown a worker drops hooks as it drops handlers: a job whose handler has not
/// answered is given back without an `after`, and an outcome that is there is stored as it stands.
/// A job that loses its lease while hooks run, or should stop, is given back in the same way and
/// does not start.
///
/// A hook is no middleware around the handler, on purpose. A layer that wraps the handler owns the
/// outcome while it works, so that its own panic or error becomes the job's. Here the worker owns
/// the outcome between two calls. Layers that have to own what they wrap, such as a rate limit, fit
/// around the handler: see the adapter for `tower` services (feature `tower`).
///
/// ```
/// use async_trait::async_trait;
/// use queue_core::Keep;
/// use queue_worker::{Before, Context, AttemptResult, Hook, JobError, runtime::BoxError};
/// use std::time::Duration;
///
/// /// Sends no mail at night, and keeps failures for a week.
/// struct QuietHours { is_night: bool }
///
/// #[async_trait]
/// impl Hook for QuietHours {
///     async fn before(&self, job: &Context) -> Result<Before, BoxError> {
///         let asleep = self.is_night && job.meta().kind.as_str() == "mail";
///         Ok(if asleep { Before::Answer(Err(JobError::snooze(Duration::from_secs(3600)))) } else { Before::Run })
///     }
///
///     async fn after(&self, _: &Context, mut executed: AttemptResult) -> Result<AttemptResult, BoxError> {
///         if executed.outcome.is_err() {
///             executed.keep = Some(Keep::For(Duration::from_secs(7 * 24 * 3600)));
///         }
///         Ok(executed)
///     }
/// }
/// # let _: QuietHours = QuietHours { is_night: false };
/// ```
#[async_trait]
pub trait Hook: Send + Sync + 'static {
    /// The name of the hook in reports of its failures.
    fn name(&self) -> &str {
        std::any::type_name::<Self>()
    }

    /// Called before the handler starts. The lease of the job is kept alive meanwhile. The hook may
    /// set the job's own [time limit](Context::set_time_limit).
    ///
    /// # Errors
    /// Any: the job goes on as if there were no such hook.
    async fn before(&self, job: &Context) -> Result<Before, BoxError> {
        let _every_job = job;
        Ok(Before::Run)
    }

    /// Called after the handler, before anything is stored. Answers the outcome to go on with.
    ///
    /// # Errors
    /// Any: the outcome stays as it was.
    async fn after(&self, job: &Context, executed: AttemptResult) -> Result<AttemptResult, BoxError> {
        let _any_job = job;
        Ok(executed)
    }
}

/// The longest that one call of a hook may take.
pub const HOOK_MAX: Duration = Duration::from_secs(10);

/// What a hook makes of a job that is about to start.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Before {
    /// The next hook is called, and after the last the handler.
    Run,
    /// The handler does not run, and this is the answer in its place. An error refuses the job:
    /// retryable, terminal, snoozed or released, as [`JobError`] says.
    Answer(Result<Payload, JobError>),
}

/// What came of one attempt, on its way to the store.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AttemptResult {
    /// The encoded result, or why there is none.
    pub outcome: Result<Payload, JobError>,
    /// Overrides how long the record stays if this outcome is final. It comes before
    /// [`JobError::keep`]; `None` leaves that to the job. With zero the record does not stay at
    /// all; a time over a hundred years counts as a hundred years.
    pub keep: Option<Keep>,
    ran_for: Option<Duration>,
}

impl AttemptResult {
    pub(crate) fn new(outcome: Result<Payload, JobError>, ran_for: Option<Duration>) -> Self {
        Self { outcome, keep: None, ran_for }
    }

    /// How long the handler ran, without hooks; `None` if it did not.
    pub fn ran_for(&self) -> Option<Duration> {
        self.ran_for
    }
}
