//! The options of a job.

use super::option_values::{Bound, CheckedOptions, DueTime, OptionValues, checked};
use crate::InvalidOption;
use queue_core::OnFailed;
use std::time::{Duration, SystemTime};

/// The options of a job: everything except its id, kind and payload. An option that is not set has
/// the value in the [options of the handle], and otherwise its default. The options are checked
/// together when a job is enqueued, before anything is written.
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
/// assert!(JobOptions::new().keep(Duration::ZERO).validate().is_err());
/// # Ok::<(), queue::InvalidOption>(())
/// ```
///
/// [options of the handle]: crate::QueueBuilder::options
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct JobOptions {
    pub(super) values: OptionValues,
}

impl JobOptions {
    /// Options of which none is set. The defaults are: due at once, priority 0, 25 attempts, three
    /// stalls; kept for an hour once Completed and for seven days once Failed or Cancelled; a
    /// Failed record of the same id blocks the enqueue.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets how long after the enqueue the job is due; at most 100 years. Fractions of a
    /// millisecond round up. Replaces [`run_at`](Self::run_at).
    pub fn delay(mut self, delay: Duration) -> Self {
        self.values.due = Some(DueTime::After(delay));
        self
    }

    /// Sets the time at which the job is due, by the clock of the store, which is the same for all
    /// producers; at most 100 years ahead. If the time has passed, the job is due at once. Times of
    /// `chrono`, `jiff` and `time` convert into a [`SystemTime`]. Replaces [`delay`](Self::delay).
    ///
    /// The enqueue first asks the store for its time, which costs one more read, and turns the
    /// difference into a delay. So the job is late by the duration of that read, and never early.
    /// If the clocks of this machine and of the store differ, the clock of the store decides; for
    /// "in an hour" use [`delay`](Self::delay). A correction of the clock after the enqueue does
    /// not move the job. [`Queue::new_job`] does not ask the store, and so refuses this option: see
    /// [`Queue::time_until`].
    ///
    #[cfg_attr(all(feature = "memory", feature = "json"), doc = "```")]
    #[cfg_attr(not(all(feature = "memory", feature = "json")), doc = "```ignore")]
    /// use queue::prelude::*;
    /// use std::time::{Duration, SystemTime};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> queue::Result<()> {
    /// let emails: Queue<String> = Queue::new(open("memory:").await?, "emails")?;
    /// let new_year_2100 = SystemTime::UNIX_EPOCH + Duration::from_secs(4_102_444_800);
    /// let options = JobOptions::new().run_at(new_year_2100);
    /// emails.enqueue_with("wishes", "a happy new year".to_owned(), options).await?;
    /// assert!(emails.status("wishes").await?.expect("stored").is_scheduled());
    /// # Ok(()) }
    /// ```
    ///
    /// [`Queue::new_job`]: crate::Queue::new_job
    /// [`Queue::time_until`]: crate::Queue::time_until
    pub fn run_at(mut self, at: SystemTime) -> Self {
        self.values.due = Some(DueTime::At(at));
        self
    }

    /// Debounces the job: it replaces a waiting job of the same id, with its own payload and
    /// options, and is due once this time has passed without another enqueue; at most 100 years.
    /// Use it for work that covers all changes up to its start, such as updating a search index.
    /// Replaces [`delay`](Self::delay). [`max_wait`](Self::max_wait) bounds how long a job may be
    /// put off in total.
    ///
    /// A job that has started is not replaced, since it may have read its data already. An enqueue
    /// while it runs stores another job, whose id has the suffix `~next`, as the answer says. So no
    /// change is lost, and two jobs may run at once if one takes longer than the delay. If five run
    /// at once, a sixth is refused with [`Conflict`](crate::ErrorKind::Conflict). The id must be
    /// given, not [generated](crate::Id::Generated), and has at most 235 bytes. A debounced job is
    /// not kept once Completed, and replaces a Failed job, unless [`on_failed`](Self::on_failed)
    /// says otherwise.
    ///
    #[cfg_attr(all(feature = "memory", feature = "json"), doc = "```")]
    #[cfg_attr(not(all(feature = "memory", feature = "json")), doc = "```ignore")]
    /// use queue::prelude::*;
    /// use std::time::Duration;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> queue::Result<()> {
    /// let index: Queue<u64> = Queue::new(open("memory:").await?, "index")?;
    /// let soon = JobOptions::new().debounce(Duration::from_secs(5)).max_wait(Duration::from_secs(60));
    /// for _edit in 0..3 {
    ///     index.enqueue_with("page-7", 7, soon.clone()).await?;
    /// }
    /// assert_eq!(index.counts().await?.total(), 1);
    /// # Ok(()) }
    /// ```
    pub fn debounce(mut self, delay: Duration) -> Self {
        self.values.due = Some(DueTime::Debounced(delay));
        self
    }

    /// Sets how long a [debounced](Self::debounce) job may be put off in total, counted from the
    /// first of the jobs that replaced each other; at least the delay. Default: no bound.
    pub fn max_wait(mut self, max_wait: Duration) -> Self {
        self.values.max_wait = Some(max_wait);
        self
    }

    /// Sets how long after the enqueue the job expires if it has not started: it is then Cancelled
    /// with [`Reason::Expired`](crate::Reason::Expired), uncharged, and its id is free. Longer than
    /// the [delay](Self::delay), at most 100 years; fractions of a millisecond round up. By default
    /// the job waits for ever; `None` overrides an expiry of the handle with this default.
    ///
    /// A job that failed, stalled or snoozed has started, and a redriven job is meant to run
    /// however late it is: these do not expire. An expired job is ended by the first claim of a
    /// worker or of [`dequeue`](crate::Queue::dequeue) that meets it, or by a wait for it.
    pub fn expires_in(mut self, span: impl Into<Option<Duration>>) -> Self {
        self.values.expires_in = Some(Bound::of(span.into()));
        self
    }

    /// Sets the priority; lower is claimed first.
    pub fn priority(mut self, priority: i16) -> Self {
        self.values.priority = Some(priority);
        self
    }

    /// Sets what the enqueue does if there is a Failed record of the same id.
    pub fn on_failed(mut self, on_failed: OnFailed) -> Self {
        self.values.on_failed = Some(on_failed);
        self
    }

    /// Adds a header: text that the handler gets beside the payload, such as a tenant or a schema
    /// version. A job has at most 16 headers, with 4 KiB of names and values together. A header
    /// replaces an earlier one of the same name, also that of the handle. No listing searches
    /// headers; use a [`tag`](Self::tag) for that.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.values.headers.push((name.into(), value.into()));
        self
    }

    /// Adds a tag: a word by which the job is found again, such as a tenant or a campaign. A job
    /// has at most 8 tags of 64 bytes, including the tags of the handle. See
    /// [`Jobs::tag`](crate::Jobs::tag).
    pub fn tag(mut self, tag: impl Into<String>) -> Self {
        self.values.tags.push(tag.into());
        self
    }

    /// Sets the partition of the queue in which the job takes its turn, such as the customer that
    /// it is for. It is that of the job for its whole life.
    pub fn partition(mut self, partition: impl Into<String>) -> Self {
        self.values.partition = Some(partition.into());
        self
    }

    /// Checks every option, as an enqueue does.
    ///
    /// # Errors
    /// The first invalid option.
    pub fn validate(&self) -> Result<(), InvalidOption> {
        // Only the store can tell how far away a time of day is.
        let due = self.values.due.filter(DueTime::is_delay);
        checked(&OptionValues { due, ..self.values.clone() }).map(drop)
    }

    /// The time of day at which the job is due, if it was set in this form.
    pub(crate) fn time_of_day(&self) -> Option<SystemTime> {
        match self.values.due {
            Some(DueTime::At(at)) => Some(at),
            Some(DueTime::After(_) | DueTime::Debounced(_)) | None => None,
        }
    }

    /// Whether these options set how long the job is kept.
    #[cfg(feature = "worker")]
    pub(crate) fn sets_retention(&self) -> bool {
        self.values.terms.sets_retention()
    }

    /// The checked options of a job without options of its own.
    pub(crate) fn checked(&self) -> Result<CheckedOptions, InvalidOption> {
        checked(&self.values)
    }

    /// The checked options of a job: these, and for those that are not set the options of the
    /// handle.
    pub(crate) fn checked_over(&self, handle: &Self) -> Result<CheckedOptions, InvalidOption> {
        checked(&self.values.clone().over(&handle.values))
    }
}
