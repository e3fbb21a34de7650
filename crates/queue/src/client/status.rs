//! The status of a job at the moment of a read.

use queue_core::{JobMeta, Kind, Span, State, Timestamp};
use std::time::Duration;

/// The status of a job when it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// The metadata of the job.
    pub meta: JobMeta,
    /// The store's time at the read; compare the times in `meta` with it.
    pub now: Timestamp,
}

impl Status {
    /// The state of the job.
    pub const fn state(&self) -> State {
        self.meta.state
    }

    /// Whether the job waits for a due time that is still to come, by a delay or after a failure.
    pub fn is_scheduled(&self) -> bool {
        self.meta.is_scheduled(self.now)
    }

    /// How long until the job is due, zero if it is due now; `None` unless it waits.
    pub fn due_in(&self) -> Option<Duration> {
        self.meta.state.is_waiting().then(|| self.meta.run_at.since(self.now))
    }

    /// The number of attempts: those that failed or stalled, and the one that runs or completed the
    /// job.
    pub fn attempts(&self) -> u32 {
        self.meta.attempts_made()
    }

    /// The progress that a handler last reported, encoded;
    /// [`Queue::progress`](crate::Queue::progress) decodes it. It stays after the end of the
    /// attempt, until the next attempt reports.
    pub fn progress(&self) -> Option<&[u8]> {
        self.meta.progress()
    }

    /// Whether the job has expired but has not been ended yet. It never runs, and will be
    /// Cancelled.
    pub fn is_expired(&self) -> bool {
        self.meta.is_expired(self.now)
    }

    /// How long until the job expires unless it starts, zero if that time has come; `None` if the
    /// job cannot expire, or has started.
    pub fn must_start_in(&self) -> Option<Duration> {
        let at = self.meta.expires_at().filter(|_| self.meta.state == State::Queued);
        at.map(|at| at.since(self.now))
    }

    /// The time limit of the job's own options, if there is one.
    pub fn time_limit(&self) -> Option<Duration> {
        self.meta.terms.time_limit.map(Span::as_duration)
    }

    /// The kind of the job that follows if this one fails for good.
    pub fn on_failure(&self) -> Option<&Kind> {
        self.meta.terms.on_failure.as_ref()
    }

    /// How long the record is still kept; `None` while the job is not terminal, and if it is kept
    /// forever.
    pub fn kept_for(&self) -> Option<Duration> {
        self.meta.purge_at.map(|at| at.since(self.now))
    }
}
