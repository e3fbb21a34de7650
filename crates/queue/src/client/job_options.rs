use crate::{
    InvalidOption, Keep,
    client::keep::{checked_span, positive_span},
};
use queue_core::{Budget, JobId, Kind, NewJob, OnFailed, Payload, RetentionPolicy, Span};
use std::time::Duration;

/// Everything about a job but its id, kind and payload. Checked as a whole when a job is enqueued, before anything is
/// written.
///
/// ```
/// use queue::{JobOptions, Keep, OnFailed};
/// use std::time::Duration;
///
/// let options = JobOptions::new()
///     .delay(Duration::from_secs(60))
///     .expires_in(Duration::from_secs(600))
///     .time_limit(Duration::from_secs(30))
///     .priority(-5)
///     .max_attempts(8)
///     .keep(Duration::from_secs(24 * 3600))
///     .keep_failed(Keep::Forever)
///     .on_failed(OnFailed::Replace);
/// options.validate()?;
///
/// assert!(JobOptions::new().priority(40_000).validate().is_err());
/// assert!(JobOptions::new().keep(Duration::ZERO).validate().is_err());
/// # Ok::<(), queue::InvalidOption>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct JobOptions {
    delay: Duration,
    expires_in: Option<Duration>,
    time_limit: Option<Duration>,
    priority: i64,
    max_attempts: Limit,
    max_stalls: Limit,
    keep_completed: Option<Keep>,
    keep_failed: Option<Keep>,
    on_failed: OnFailed,
}

/// A budget as it was given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Limit {
    #[default]
    Default,
    At(u32),
    Unlimited,
}

impl JobOptions {
    /// Due at once, priority 0, 25 attempts, three stalls; kept for an hour once Completed and for seven
    /// days once Failed or Cancelled; a Failed record of the same id blocks.
    pub fn new() -> Self {
        Self::default()
    }

    /// Not claimed before this has passed since the enqueue; at most 100 years. Fractions of a millisecond round up.
    pub fn delay(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// Gives the job up unless it has started within so long since the enqueue: it is then Cancelled with
    /// [`Reason::Expired`](crate::Reason::Expired), uncharged, and its id is free. Longer than the [delay](Self::delay), at
    /// most 100 years; fractions of a millisecond round up. Default: it waits for ever.
    ///
    /// A job that failed, stalled or snoozed has started, and one that was redriven shall run whenever it can: these do
    /// not expire. An expired job is ended by whoever meets it: a worker or [`dequeue`](crate::Queue::dequeue) that
    /// claims it, or somebody who waits for it.
    pub fn expires_in(mut self, span: Duration) -> Self {
        self.expires_in = Some(span);
        self
    }

    /// How long its handler may run, in place of the limit of its kind or of the worker; more than zero, at most 100
    /// years, fractions of a millisecond rounded up. See `WorkerBuilder::time_limit` for what happens then. Callers of
    /// [`dequeue`](crate::Queue::dequeue) see it in the metadata, and nothing enforces it there.
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.time_limit = Some(limit);
        self
    }

    /// Lower is claimed first: -32768 to 32767.
    pub fn priority(mut self, priority: impl Into<i64>) -> Self {
        self.priority = priority.into();
        self
    }

    /// How many attempts may fail before the job is Failed; at least 1. Default 25, which at the default waits take two
    /// days and more.
    pub fn max_attempts(mut self, limit: u32) -> Self {
        self.max_attempts = Limit::At(limit);
        self
    }

    /// Retries for as long as the retry policy wants.
    pub fn unlimited_attempts(mut self) -> Self {
        self.max_attempts = Limit::Unlimited;
        self
    }

    /// How many leases may lapse before the job is Failed, since it may be what kills its workers; at least 1.
    /// Default 3.
    pub fn max_stalls(mut self, limit: u32) -> Self {
        self.max_stalls = Limit::At(limit);
        self
    }

    /// Runs again however often a lease lapses.
    pub fn unlimited_stalls(mut self) -> Self {
        self.max_stalls = Limit::Unlimited;
        self
    }

    /// How long the job stays once finished, whatever the outcome.
    pub fn keep(self, keep: impl Into<Keep>) -> Self {
        let keep = keep.into();
        self.keep_completed(keep).keep_failed(keep)
    }

    /// How long the job stays once Completed. Default one hour.
    pub fn keep_completed(mut self, keep: impl Into<Keep>) -> Self {
        self.keep_completed = Some(keep.into());
        self
    }

    /// How long the job stays once Failed or Cancelled. Default seven days.
    pub fn keep_failed(mut self, keep: impl Into<Keep>) -> Self {
        self.keep_failed = Some(keep.into());
        self
    }

    /// What a present Failed record of the same id means.
    pub fn on_failed(mut self, on_failed: OnFailed) -> Self {
        self.on_failed = on_failed;
        self
    }

    /// Checks every option, as enqueueing does.
    ///
    /// # Errors
    /// The first option that cannot be.
    pub fn validate(&self) -> Result<(), InvalidOption> {
        self.checked().map(drop)
    }

    pub(crate) fn checked(&self) -> Result<CheckedOptions, InvalidOption> {
        Ok(CheckedOptions {
            delay: checked_span("a delay", self.delay)?,
            expires_in: self.expiry()?,
            time_limit: self.time_limit.map(|limit| positive_span("a time limit", limit)).transpose()?,
            priority: i16::try_from(self.priority)
                .map_err(|_| InvalidOption::Priority { given: self.priority })?,
            max_attempts: self.max_attempts.budget(Budget::ATTEMPTS, "max_attempts", "unlimited_attempts")?,
            max_stalls: self.max_stalls.budget(Budget::STALLS, "max_stalls", "unlimited_stalls")?,
            retention: self.retention()?,
            on_failed: self.on_failed,
        })
    }

    /// A job that expires before it is due would never run.
    fn expiry(&self) -> Result<Option<Span>, InvalidOption> {
        let Some(given) = self.expires_in else { return Ok(None) };
        let span = positive_span("an expiry", given)?;
        if span <= checked_span("a delay", self.delay)? {
            return Err(InvalidOption::ExpiresBeforeDue { expires_in: given, delay: self.delay });
        }
        Ok(Some(span))
    }

    fn retention(&self) -> Result<RetentionPolicy, InvalidOption> {
        let mut retention = RetentionPolicy::default();
        if let Some(keep) = self.keep_completed {
            retention.completed = keep.validate()?;
        }
        if let Some(keep) = self.keep_failed {
            retention.failed = keep.validate()?;
        }
        Ok(retention)
    }
}

impl Limit {
    fn budget(
        self,
        default: Budget,
        what: &'static str,
        unlimited: &'static str,
    ) -> Result<Budget, InvalidOption> {
        match self {
            Self::Default => Ok(default),
            Self::At(0) => Err(InvalidOption::NoBudget { what, unlimited }),
            Self::At(limit) => Ok(Budget::from_raw(limit)),
            Self::Unlimited => Ok(Budget::Unlimited),
        }
    }
}

/// Options that can be.
#[derive(Clone, Debug)]
pub(crate) struct CheckedOptions {
    delay: Span,
    expires_in: Option<Span>,
    time_limit: Option<Span>,
    priority: i16,
    max_attempts: Budget,
    max_stalls: Budget,
    retention: RetentionPolicy,
    on_failed: OnFailed,
}

impl CheckedOptions {
    pub(crate) fn job(&self, id: JobId, kind: Kind, payload: Payload) -> NewJob {
        let mut job = NewJob::new(id, kind, payload);
        (job.expires_in, job.time_limit) = (self.expires_in, self.time_limit);
        job.with_delay(self.delay)
            .with_priority(self.priority)
            .with_max_attempts(self.max_attempts)
            .with_max_stalls(self.max_stalls)
            .with_retention(self.retention)
            .with_on_failed(self.on_failed)
    }
}
