//! A rate limit, as a program asks for it.

use queue_core::{Error, Result};
use std::time::Duration;

/// How many jobs may start in a while, in one worker. In any window of time no more start than the
/// burst and what the rate brings in that window. Runs of the same worker count together.
///
/// ```
/// use queue_worker::RateLimit;
/// use std::time::Duration;
///
/// let evenly = RateLimit::per_minute(30); // one every two seconds
/// let in_spurts = RateLimit::new(1000, Duration::from_secs(3600)).burst(50);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RateLimit {
    pub(super) starts: u32,
    pub(super) period: Duration,
    burst: Option<u32>,
}

/// The default burst is what the rate brings in this time, so that high rates need no timer for
/// each job and low rates are even.
const BURST_NANOS: u128 = 100_000_000;

impl RateLimit {
    /// A limit of this many starts per period: at least one start, in a period longer than zero.
    pub const fn new(starts: u32, period: Duration) -> Self {
        Self { starts, period, burst: None }
    }

    /// A limit of this many starts per second.
    pub const fn per_second(starts: u32) -> Self {
        Self::new(starts, Duration::from_secs(1))
    }

    /// A limit of this many starts per minute.
    pub const fn per_minute(starts: u32) -> Self {
        Self::new(starts, Duration::from_secs(60))
    }

    /// How many may start at once after a quiet time, at least one. Default: as many as the rate
    /// brings in a tenth of a second, but at least one.
    #[must_use]
    pub const fn burst(mut self, starts: u32) -> Self {
        self.burst = Some(starts);
        self
    }

    /// The burst that was set, or else the default.
    pub(super) fn burst_or_default(&self) -> u32 {
        let default = || u128::from(self.starts) * BURST_NANOS / self.period.as_nanos().max(1);
        self.burst.unwrap_or_else(|| u32::try_from(default()).unwrap_or(u32::MAX).max(1))
    }

    /// # Errors
    /// `Invalid` for a limit under which nothing could ever start.
    pub(in crate::worker) fn check(&self) -> Result<()> {
        if self.starts == 0 || self.period.is_zero() || self.burst == Some(0) {
            let message =
                "a rate limit has at least 1 start, a period longer than zero and a burst of at least 1";
            return Err(Error::invalid("build worker", message));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_burst_is_a_tenth_of_a_second_and_at_least_one() {
        let bursts = [
            RateLimit::per_second(1000),
            RateLimit::per_second(5),
            RateLimit::per_minute(1),
            RateLimit::per_second(u32::MAX),
            RateLimit::new(u32::MAX, Duration::from_nanos(1)),
            RateLimit::new(1, Duration::MAX),
            RateLimit::per_second(1000).burst(7),
        ]
        .map(|limit| limit.burst_or_default());
        assert_eq!(bursts, [100, 1, 1, u32::MAX / 10, u32::MAX, 1, 7]);
    }
}
