use queue_core::{StoreTime, Timestamp};
use std::time::Duration;
use tokio::time::Instant;

/// The store's time, as an answer told it, and when that was here.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Told {
    now: Timestamp,
    at: Instant,
}

impl Told {
    /// What an answer that is here by now told.
    pub(crate) fn just(now: Timestamp) -> Self {
        Self { now, at: Instant::now() }
    }

    /// When the store's time has certainly come to `time`, by this process's own clock: store time goes on, and no slower
    /// than [`StoreTime`] says.
    pub(crate) fn reaches(self, time: Timestamp) -> Instant {
        self.at.checked_add(StoreTime::longest(time.since(self.now))).unwrap_or(self.at + FAR)
    }
}

/// Beyond what any clock here counts.
const FAR: Duration = Duration::from_secs(100 * 365 * 24 * 3600);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_past_is_reached_and_what_is_ahead_a_little_later_than_by_a_healthy_clock() {
        let told = Told::just(Timestamp::from_millis(10_000));
        assert_eq!(told.reaches(Timestamp::from_millis(9_000)), told.at);
        assert_eq!(told.reaches(Timestamp::from_millis(10_000)), told.at);
        let ahead = told.reaches(Timestamp::from_millis(73_000)) - told.at;
        assert_eq!(ahead, Duration::from_secs(64));
    }
}
