use queue_core::{JobMeta, Kind, Span, State, Timestamp};
use std::time::Duration;

/// How a job stood when it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// Everything that is small and may be shown.
    pub meta: JobMeta,
    /// The store's time of the read, to which every time in `meta` relates.
    pub now: Timestamp,
}

impl Status {
    /// Where it stands.
    pub const fn state(&self) -> State {
        self.meta.state
    }

    /// It waits for its time to come, by delay or after a failure.
    pub fn is_scheduled(&self) -> bool {
        self.meta.is_scheduled(self.now)
    }

    /// How long until it may run, zero if it may now; `None` unless it waits.
    pub fn due_in(&self) -> Option<Duration> {
        self.meta.state.is_waiting().then(|| self.meta.run_at.since(self.now))
    }

    /// Attempts made: those that failed or stalled, and the one that runs or completed.
    pub fn attempts(&self) -> u32 {
        self.meta.attempts_made()
    }

    /// What a handler last reported, encoded; [`Queue::progress`](crate::Queue::progress) decodes
    /// it. It stays when the attempt ends, until the next one reports.
    pub fn progress(&self) -> Option<&[u8]> {
        self.meta.progress()
    }

    /// It has not started by the time that its producer gave it, though nobody has ended it yet: it
    /// is as good as Cancelled.
    pub fn is_expired(&self) -> bool {
        self.meta.is_expired(self.now)
    }

    /// How long until it is given up unless it starts, zero if that has come; `None` if it never
    /// is, and once it has started.
    pub fn must_start_in(&self) -> Option<Duration> {
        let at = self.meta.expires_at().filter(|_| self.meta.state == State::Queued);
        at.map(|at| at.since(self.now))
    }

    /// How long its handler may run, if the job says so itself.
    pub fn time_limit(&self) -> Option<Duration> {
        self.meta.time_limit.map(Span::as_duration)
    }

    /// The kind of the job that follows if this one fails for good.
    pub fn on_failure(&self) -> Option<&Kind> {
        self.meta.on_failure.as_ref()
    }

    /// How long the record stays; `None` while it is not terminal, and if it is kept forever.
    pub fn kept_for(&self) -> Option<Duration> {
        self.meta.purge_at.map(|at| at.since(self.now))
    }
}
