use queue_core::{JobMeta, State, Timestamp};
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

    /// What a handler last reported, encoded; [`Queue::progress`](crate::Queue::progress) decodes it. It stays when the
    /// attempt ends, until the next one reports.
    pub fn progress(&self) -> Option<&[u8]> {
        self.meta.progress.as_deref()
    }

    /// How long the record stays; `None` while it is not terminal, and if it is kept forever.
    pub fn expires_in(&self) -> Option<Duration> {
        self.meta.purge_at.map(|at| at.since(self.now))
    }
}
