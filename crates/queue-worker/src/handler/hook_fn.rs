//! Closures as hooks.

use super::{AttemptResult, Before, Context, Hook};
use crate::runtime::BoxError;
use async_trait::async_trait;
use std::fmt;

/// A closure as a [`Hook`] before the handler; made by [`before_fn`].
#[derive(Clone, Copy)]
pub struct BeforeFn<F>(F);

/// A closure as a [`Hook`] after the handler; made by [`after_fn`].
#[derive(Clone, Copy)]
pub struct AfterFn<F>(F);

/// Makes a hook of a function that decides whether a job runs.
///
/// ```
/// use queue_worker::{Before, Context, JobError, before_fn, runtime::BoxError};
///
/// let first_attempts_only = before_fn(|job: Context| async move {
///     Ok::<_, BoxError>(match job.attempt() {
///         1 => Before::Run,
///         _ => Before::Answer(Err(JobError::named("Once", "this job has one attempt").as_terminal())),
///     })
/// });
/// # let _ = first_attempts_only;
/// ```
pub fn before_fn<F, Fut>(function: F) -> BeforeFn<F>
where
    F: Fn(Context) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<Before, BoxError>> + Send + 'static,
{
    BeforeFn(function)
}

/// Makes a hook of a function that sees, and may change, what a job leaves.
///
/// ```
/// use queue_worker::{Context, AttemptResult, JobError, after_fn, runtime::BoxError};
///
/// let slow_is_final = after_fn(|_: Context, mut executed: AttemptResult| async move {
///     let is_slow = executed.ran_for().is_some_and(|time| time.as_secs() > 60);
///     if is_slow {
///         executed.outcome = executed.outcome.map_err(JobError::as_terminal);
///     }
///     Ok::<_, BoxError>(executed)
/// });
/// # let _ = slow_is_final;
/// ```
pub fn after_fn<F, Fut>(function: F) -> AfterFn<F>
where
    F: Fn(Context, AttemptResult) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<AttemptResult, BoxError>> + Send + 'static,
{
    AfterFn(function)
}

#[async_trait]
impl<F, Fut> Hook for BeforeFn<F>
where
    F: Fn(Context) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<Before, BoxError>> + Send + 'static,
{
    async fn before(&self, job: &Context) -> Result<Before, BoxError> {
        (self.0)(job.clone()).await
    }
}

#[async_trait]
impl<F, Fut> Hook for AfterFn<F>
where
    F: Fn(Context, AttemptResult) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<AttemptResult, BoxError>> + Send + 'static,
{
    async fn after(&self, job: &Context, executed: AttemptResult) -> Result<AttemptResult, BoxError> {
        (self.0)(job.clone(), executed).await
    }
}

impl<F> fmt::Debug for BeforeFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BeforeFn(..)")
    }
}

impl<F> fmt::Debug for AfterFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AfterFn(..)")
    }
}
