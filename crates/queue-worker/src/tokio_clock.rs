//! A clock that follows tokio's.

use queue_core::{Clock, Timestamp};
use std::time::Duration;
use tokio::time::Instant;

/// A clock that follows tokio's, so that a store sees paused time move with the runtime's timers.
/// For tests.
#[derive(Clone, Copy, Debug)]
pub struct TokioClock {
    started: Instant,
    base: Timestamp,
}

impl TokioClock {
    /// Reads `base` now. Call it within a tokio runtime.
    pub fn starting_at(base: Timestamp) -> Self {
        Self { started: Instant::now(), base }
    }
}

impl Default for TokioClock {
    /// Starts in 2026, so that readings look like real ones.
    fn default() -> Self {
        Self::starting_at(Timestamp::from_millis(1_767_225_600_000))
    }
}

impl Clock for TokioClock {
    fn now(&self) -> Timestamp {
        let elapsed = i64::try_from(self.ticks().as_millis()).unwrap_or(i64::MAX);
        Timestamp::from_millis(self.base.as_millis().saturating_add(elapsed))
    }

    fn ticks(&self) -> Duration {
        self.started.elapsed()
    }
}
