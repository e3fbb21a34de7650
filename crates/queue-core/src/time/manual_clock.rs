//! A clock for tests.

use crate::{Clock, Timestamp};
use parking_lot::{Mutex, MutexGuard};
use std::time::Duration;

/// A clock for tests. It stands still until the test lets time pass, or makes it step.
#[derive(Debug)]
pub struct ManualClock(Mutex<Hands>);

#[derive(Clone, Copy, Debug)]
struct Hands {
    now: Timestamp,
    ticks: Duration,
}

impl ManualClock {
    /// Starts at `now`.
    pub fn new(now: Timestamp) -> Self {
        Self(Mutex::new(Hands { now, ticks: Duration::ZERO }))
    }

    /// Lets time pass, in whole milliseconds: the reading and the ticks advance.
    pub fn advance(&self, by: Duration) {
        let millis = i64::try_from(by.as_millis()).unwrap_or(i64::MAX);
        let mut hands = self.hands();
        hands.now = Timestamp::from_millis(hands.now.as_millis().saturating_add(millis));
        hands.ticks += Duration::from_millis(millis.unsigned_abs());
    }

    /// Makes the clock step to any reading, backwards too. No time passes, so the ticks stay.
    pub fn set(&self, now: Timestamp) {
        self.hands().now = now;
    }

    fn hands(&self) -> MutexGuard<'_, Hands> {
        self.0.lock()
    }
}

impl Default for ManualClock {
    /// Starts in 2026, so that readings look like real ones.
    fn default() -> Self {
        Self::new(Timestamp::from_millis(1_767_225_600_000))
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        self.hands().now
    }

    fn ticks(&self) -> Duration {
        self.hands().ticks
    }
}
