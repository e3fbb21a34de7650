//! The store's time, from one of its answers.

use crate::worker::deadline;
use queue_core::{Span, StoreTime, Timestamp};
use std::time::Duration;
use tokio::time::Instant;

/// One reading of the store's clock, and when this process read it by its own clock.
#[derive(Clone, Copy, Debug)]
pub(in crate::worker) struct ClockReading {
    store_time: Timestamp,
    read_at: Instant,
}

impl ClockReading {
    /// A reading from an answer that was here by `read_at`.
    pub(in crate::worker) fn at(store_time: Timestamp, read_at: Instant) -> Self {
        Self { store_time, read_at }
    }

    /// A reading from an answer that has just come.
    pub(in crate::worker) fn now(store_time: Timestamp) -> Self {
        Self::at(store_time, Instant::now())
    }

    /// How long ago it was taken.
    pub(in crate::worker) fn age(self, now: Instant) -> Duration {
        now.saturating_duration_since(self.read_at)
    }

    /// Whether the store's time was later than this.
    pub(in crate::worker) fn is_later_than(self, store_time: Timestamp) -> bool {
        self.store_time > store_time
    }

    /// The store's time at a later moment, by the time that this process has measured since.
    pub(in crate::worker) fn store_time_at(self, now: Instant) -> Timestamp {
        self.store_time + Span::new("a while", self.age(now)).unwrap_or(Span::MAX)
    }

    /// When the store's time has certainly come to `time`, by this process's own clock. Store time
    /// runs no slower than [`StoreTime`] says.
    pub(in crate::worker) fn reaches(self, time: Timestamp) -> Instant {
        deadline::after(self.read_at, StoreTime::longest(time.since(self.store_time)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_past_is_reached_and_what_is_ahead_a_little_later_than_by_a_healthy_clock() {
        let reading = ClockReading::now(Timestamp::from_millis(10_000));
        assert_eq!(reading.reaches(Timestamp::from_millis(9_000)), reading.read_at);
        assert_eq!(reading.reaches(Timestamp::from_millis(10_000)), reading.read_at);
        let ahead = reading.reaches(Timestamp::from_millis(73_000)) - reading.read_at;
        assert_eq!(ahead, Duration::from_secs(64));
    }
}
