//! The options of a job that are its terms: how each is set, and the checked terms.

use super::{
    FollowUpKind, JobOptions,
    keep::{positive_span, retention},
    option_values::Bound,
};
use crate::{InvalidOption, Keep};
use queue_core::{Budget, InvalidName, JobTerms, Kind, NewerTerms, RetentionPolicy, Span};
use std::time::Duration;

/// The terms as they were set; `None` is one that was not set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TermValues {
    time_limit: Option<Bound>,
    max_attempts: Option<Limit>,
    max_stalls: Option<Limit>,
    pub(super) keep_completed: Option<Keep>,
    keep_failed: Option<Keep>,
    /// A kind, no kind, or the error of an invalid one.
    on_failure: Option<Result<Option<Kind>, InvalidName>>,
}

/// A budget as it was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Limit {
    At(u32),
    Unlimited,
}

/// The terms of the job.
impl JobOptions {
    /// Sets how long the handler may run, in place of the limit of the kind or of the worker; more
    /// than zero, at most 100 years, fractions of a millisecond rounded up.
    /// `WorkerBuilder::time_limit` says what happens then. Callers of
    /// [`dequeue`](crate::Queue::dequeue) find the limit in the metadata; nothing enforces it
    /// there. `None` overrides a limit of the handle, and leaves the limit to the kind and the
    /// worker.
    pub fn time_limit(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.values.terms.time_limit = Some(Bound::of(limit.into()));
        self
    }

    /// Sets the number of failures at which the job is Failed; at least 1. Default 25, which take
    /// two days and more at the default waits.
    pub fn max_attempts(mut self, limit: u32) -> Self {
        self.values.terms.max_attempts = Some(Limit::At(limit));
        self
    }

    /// Sets no limit of failures: only the retry policy ends the retries.
    pub fn unlimited_attempts(mut self) -> Self {
        self.values.terms.max_attempts = Some(Limit::Unlimited);
        self
    }

    /// Sets the number of lapsed leases at which the job is Failed, since the job may be what kills
    /// its workers; at least 1. Default 3.
    pub fn max_stalls(mut self, limit: u32) -> Self {
        self.values.terms.max_stalls = Some(Limit::At(limit));
        self
    }

    /// Sets no limit of lapsed leases.
    pub fn unlimited_stalls(mut self) -> Self {
        self.values.terms.max_stalls = Some(Limit::Unlimited);
        self
    }

    /// Sets how long the job is kept once finished, with any outcome.
    pub fn keep(self, keep: impl Into<Keep>) -> Self {
        let keep = keep.into();
        self.keep_completed(keep).keep_failed(keep)
    }

    /// Sets how long the job is kept once Completed. Default one hour.
    pub fn keep_completed(mut self, keep: impl Into<Keep>) -> Self {
        self.values.terms.keep_completed = Some(keep.into());
        self
    }

    /// Sets how long the job is kept once Failed or Cancelled. Default seven days.
    pub fn keep_failed(mut self, keep: impl Into<Keep>) -> Self {
        self.values.terms.keep_failed = Some(keep.into());
        self
    }

    /// Sets the kind of a follow-up: a job that is enqueued, into the same queue, in the same step
    /// that ends this one as Failed, whether its worker ends it or a rescue of its last lease. The
    /// payload of the follow-up is a [`FailedJob`](crate::FailedJob), in JSON under every codec. A
    /// job that completes, is cancelled or expires has no follow-up; a job that is redriven and
    /// fails again has a new one. The kind is a [`JobKind`](crate::JobKind) or text; `None` removes
    /// the kind of the handle.
    ///
    #[cfg_attr(all(feature = "worker", feature = "memory", feature = "json"), doc = "```")]
    #[cfg_attr(not(all(feature = "worker", feature = "memory", feature = "json")), doc = "```ignore")]
    /// use queue::prelude::*;
    ///
    /// const CHARGE: JobKind<u32> = JobKind::new("charge");
    /// const CHARGE_FAILED: JobKind<FailedJob> = JobKind::new("charge-failed");
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> queue::Result<()> {
    /// let tasks: Queue<()> = Queue::new(open("memory:").await?, "tasks")?;
    /// let options = JobOptions::new().max_attempts(1).on_failure(CHARGE_FAILED);
    /// tasks.of(CHARGE).enqueue_with("charge-7", 7, options).await?;
    ///
    /// let router = Router::new(())
    ///     .handle(CHARGE, |_, _| async { Err("the card has expired".into()) })?
    ///     .handle(CHARGE_FAILED, |job, _| async move { Ok(println!("{}: {}", job.id, job.error_message)) })?;
    /// let report = tasks.worker(router).until_idle().build()?.run().await;
    /// assert_eq!((report.failed, report.completed), (1, 1));
    /// # Ok(()) }
    /// ```
    pub fn on_failure(mut self, kind: impl FollowUpKind) -> Self {
        self.values.terms.on_failure = Some(kind.follow_up_kind());
        self
    }
}

impl TermValues {
    pub(super) fn over(self, under: &Self) -> Self {
        Self {
            time_limit: self.time_limit.or(under.time_limit),
            max_attempts: self.max_attempts.or(under.max_attempts),
            max_stalls: self.max_stalls.or(under.max_stalls),
            keep_completed: self.keep_completed.or(under.keep_completed),
            keep_failed: self.keep_failed.or(under.keep_failed),
            on_failure: self.on_failure.or_else(|| under.on_failure.clone()),
        }
    }

    #[cfg(feature = "worker")]
    pub(super) fn sets_retention(&self) -> bool {
        self.keep_completed.is_some() || self.keep_failed.is_some()
    }

    /// The terms of a job that is kept for so long unless it was set.
    pub(super) fn checked(&self, kept: RetentionPolicy) -> Result<JobTerms, InvalidOption> {
        let budget = |limit: Option<Limit>, default, what, unlimited| {
            limit.map_or(Ok(default), |limit| limit.budget(what, unlimited))
        };
        let (attempts, stalls) = (Budget::ATTEMPTS, Budget::STALLS);
        Ok(JobTerms {
            max_attempts: budget(self.max_attempts, attempts, "max_attempts", "unlimited_attempts")?,
            max_stalls: budget(self.max_stalls, stalls, "max_stalls", "unlimited_stalls")?,
            time_limit: self.time_limit()?,
            on_failure: self.on_failure()?,
            retention: RetentionPolicy {
                completed: self.keep_completed.map_or(Ok(kept.completed), retention)?,
                failed: self.keep_failed.map_or(Ok(kept.failed), retention)?,
            },
            newer: NewerTerms::NONE,
        })
    }

    fn time_limit(&self) -> Result<Option<Span>, InvalidOption> {
        let Some(Bound::In(given)) = self.time_limit else { return Ok(None) };
        positive_span("a time limit", given).map(Some)
    }

    fn on_failure(&self) -> Result<Option<Kind>, InvalidOption> {
        match &self.on_failure {
            Some(Ok(Some(kind))) if kind.is_reserved() => {
                Err(InvalidOption::ReservedKind { kind: kind.clone() })
            }
            Some(given) => given.clone().map_err(InvalidOption::FollowUpKind),
            None => Ok(None),
        }
    }
}

impl Limit {
    fn budget(self, what: &'static str, unlimited: &'static str) -> Result<Budget, InvalidOption> {
        match self {
            Self::At(0) => Err(InvalidOption::NoBudget { what, unlimited }),
            Self::At(limit) => Ok(Budget::from_raw(limit)),
            Self::Unlimited => Ok(Budget::Unlimited),
        }
    }
}
