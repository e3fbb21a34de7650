//! The deadline of a wait, and how often it reads.

use crate::{InvalidOption, client::checked_span};
use queue_core::{Exponential, RetryPolicy, Seq, Span};
use std::time::Duration;

/// How long to wait, and how often to read the record. A [`Duration`] converts into options with
/// this deadline.
///
/// ```
/// use queue::WaitOptions;
/// use std::time::Duration;
///
/// let patient = WaitOptions::from(Duration::from_secs(300)).look_at_least_every(Duration::from_secs(2));
/// assert_ne!(patient, WaitOptions::default());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct WaitOptions {
    deadline: Duration,
    first_look: Duration,
    slowest_look: Duration,
    life: Option<Seq>,
}

impl WaitOptions {
    /// A deadline of thirty seconds. The record is read again after 20 ms, then at intervals that
    /// double up to 500 ms, each shortened at random by up to a quarter.
    pub fn new() -> Self {
        Self {
            deadline: Duration::from_secs(30),
            first_look: Duration::from_millis(20),
            slowest_look: Duration::from_millis(500),
            life: None,
        }
    }

    /// Sets the deadline, counted from the call; at most 100 years. With zero the wait reads once.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// Sets the first interval between two reads, for stores whose hints do not reach this process;
    /// more than zero.
    pub fn look_first_after(mut self, interval: Duration) -> Self {
        self.first_look = interval;
        self
    }

    /// Sets the longest interval between two reads; more than zero, and no shorter than the first.
    pub fn look_at_least_every(mut self, interval: Duration) -> Self {
        self.slowest_look = interval;
        self
    }

    /// Makes the wait about this life of the id, and no other, as the answer to the enqueue named
    /// it. Without this a wait is about the life that it sees first. So a caller that waits again
    /// after a time-out goes on with the job that it enqueued: if that one was removed, the answer
    /// is [`Expired`](crate::Outcome::Expired), and [`Superseded`](crate::Outcome::Superseded) if a
    /// newer one has the id.
    pub fn life(mut self, seq: Seq) -> Self {
        self.life = Some(seq);
        self
    }

    pub(super) fn of_life(&self) -> Option<Seq> {
        self.life
    }

    pub(super) fn longest(&self) -> Duration {
        self.deadline
    }

    pub(super) fn checked(self) -> Result<CheckedWait, InvalidOption> {
        let first = checked_interval(self.first_look)?;
        let slowest = checked_interval(self.slowest_look)?.max(first);
        Ok(CheckedWait {
            deadline: checked_span("a deadline", self.deadline)?.as_duration(),
            looks: RetryPolicy::exponential(first).cap(slowest),
        })
    }
}

/// Options that have been checked.
#[derive(Debug)]
pub(super) struct CheckedWait {
    pub(super) deadline: Duration,
    /// The interval before read number `n`.
    pub(super) looks: Exponential,
}

fn checked_interval(interval: Duration) -> Result<Duration, InvalidOption> {
    let what = "an interval between looks";
    if interval.is_zero() {
        Err(InvalidOption::NotPositive { what })
    } else {
        checked_span(what, interval).map(Span::as_duration)
    }
}

impl Default for WaitOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl From<Duration> for WaitOptions {
    fn from(deadline: Duration) -> Self {
        Self::new().deadline(deadline)
    }
}
