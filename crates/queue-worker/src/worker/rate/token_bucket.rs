//! The arithmetic of a rate limit.

use super::RateLimit;
use std::time::Duration;
use tokio::time::Instant;

/// Tokens that come evenly and are kept up to the burst. Each start takes one.
///
/// The bucket counts in integers, so that nothing drifts: a token is as many units as the period
/// has nanoseconds, and each nanosecond brings as many units as a period has starts.
#[derive(Clone, Debug)]
pub(super) struct TokenBucket {
    units_per_token: u128,
    units_per_nano: u128,
    units_max: u128,
    units: u128,
    /// When `units` were counted.
    at: Instant,
}

impl TokenBucket {
    /// A full bucket: a worker begins after a quiet time.
    pub(super) fn new(limit: &RateLimit, now: Instant) -> Self {
        let units_per_token = limit.period.as_nanos();
        let units_max = units_per_token * u128::from(limit.burst_or_default());
        Self {
            units_per_token,
            units_per_nano: u128::from(limit.starts),
            units_max,
            units: units_max,
            at: now,
        }
    }

    /// How many tokens there are.
    pub(super) fn level(&self, now: Instant) -> u64 {
        u64::try_from(self.units_at(now) / self.units_per_token).unwrap_or(u64::MAX)
    }

    /// Takes a token if there is one.
    pub(super) fn take(&mut self, now: Instant) -> bool {
        self.units = self.units_at(now);
        self.at = self.at.max(now);
        let left = self.units.checked_sub(self.units_per_token);
        self.units = left.unwrap_or(self.units);
        left.is_some()
    }

    /// How long until there are this many tokens; `None` if the bucket never holds that many.
    pub(super) fn wait_for(&self, tokens: u64, now: Instant) -> Option<Duration> {
        let wanted = u128::from(tokens).saturating_mul(self.units_per_token);
        let missing = wanted.saturating_sub(self.units_at(now));
        (wanted <= self.units_max).then(|| nanos(missing.div_ceil(self.units_per_nano)))
    }

    /// The time between two tokens.
    pub(super) fn interval(&self) -> Duration {
        nanos(self.units_per_token.div_ceil(self.units_per_nano))
    }

    fn units_at(&self, now: Instant) -> u128 {
        let brought = now.saturating_duration_since(self.at).as_nanos().saturating_mul(self.units_per_nano);
        self.units.saturating_add(brought).min(self.units_max)
    }
}

fn nanos(nanos: u128) -> Duration {
    let secs = u64::try_from(nanos / 1_000_000_000).unwrap_or(u64::MAX);
    Duration::new(secs, u32::try_from(nanos % 1_000_000_000).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use queue_core::{Rng, SeededRng};

    fn bucket(limit: &RateLimit) -> (TokenBucket, Instant) {
        let now = Instant::now();
        (TokenBucket::new(limit, now), now)
    }

    fn after(start: Instant, nanos: u64) -> Instant {
        start + Duration::from_nanos(nanos)
    }

    #[test]
    fn it_begins_full_and_then_gives_one_token_per_interval_to_the_nanosecond() {
        let (mut bucket, start) = bucket(&RateLimit::new(3, Duration::from_secs(1)).burst(2));
        assert_eq!([bucket.take(start), bucket.take(start), bucket.take(start)], [true, true, false]);
        assert_eq!(bucket.wait_for(1, start), Some(Duration::from_nanos(333_333_334)));
        assert!(!bucket.take(after(start, 333_333_333)));
        assert!(bucket.take(after(start, 333_333_334)));
        // Nothing was lost to rounding: the third of three is there after exactly a second.
        assert!(bucket.take(after(start, 666_666_667)));
        assert!(!bucket.take(after(start, 999_999_999)) && bucket.take(after(start, 1_000_000_000)));
    }

    #[test]
    fn a_quiet_time_brings_no_more_than_the_burst() {
        let (mut bucket, start) = bucket(&RateLimit::per_second(10).burst(4));
        assert_eq!((0..9).filter(|_| bucket.take(start)).count(), 4);
        let later = start + Duration::from_secs(1_000_000);
        assert_eq!((bucket.level(later), (0..9).filter(|_| bucket.take(later)).count()), (4, 4));
    }

    #[test]
    fn more_than_the_burst_is_never_there() {
        let (bucket, start) = bucket(&RateLimit::per_second(10).burst(4));
        assert_eq!(bucket.wait_for(4, start), Some(Duration::ZERO));
        assert_eq!(bucket.wait_for(5, start), None);
        assert_eq!(bucket.wait_for(u64::MAX, start), None);
    }

    #[test]
    fn a_reading_of_the_clock_that_is_too_early_takes_nothing_away() {
        let (mut bucket, start) = bucket(&RateLimit::per_second(1));
        let later = start + Duration::from_secs(5);
        assert!(bucket.take(later) && !bucket.take(start));
        assert!(!bucket.take(later) && bucket.take(later + Duration::from_secs(1)));
    }

    #[test]
    fn extreme_limits_do_not_overflow() {
        let (mut slow, start) = bucket(&RateLimit::new(1, Duration::MAX).burst(u32::MAX));
        let (mut fast, _) = bucket(&RateLimit::new(u32::MAX, Duration::from_nanos(1)).burst(u32::MAX));
        let later = start + Duration::from_secs(1 << 32);
        assert_eq!(slow.level(later), u64::from(u32::MAX));
        assert!(slow.take(later) && slow.wait_for(u64::from(u32::MAX), later).is_some());
        assert!(fast.take(later) && fast.take(start));
        assert_eq!((slow.interval(), fast.interval()), (Duration::MAX, Duration::from_nanos(1)));
    }

    /// The promise itself: over all windows of a random run.
    #[test]
    fn in_any_window_no_more_are_taken_than_the_burst_and_the_rate_allow() {
        for seed in 0..200 {
            let rng = SeededRng::new(seed);
            let upto = |most: u64| rng.next_u64() % most;
            let (starts, burst) = (1 + upto(20), 1 + upto(6));
            let (starts32, burst32) = (u32::try_from(starts).unwrap(), u32::try_from(burst).unwrap());
            let period = 1 + upto(5_000_000);
            let limit = RateLimit::new(starts32, Duration::from_nanos(period)).burst(burst32);
            let (mut bucket, start) = bucket(&limit);
            let mut at = 0;
            let mut taken = Vec::new();
            for _ in 0..200 {
                at += upto(period / 2 + 1);
                if bucket.take(after(start, at)) {
                    taken.push(at);
                }
            }
            for (first, from) in taken.iter().enumerate() {
                for (last, to) in taken.iter().enumerate().skip(first) {
                    let most = burst
                        + u64::try_from(u128::from(to - from) * u128::from(starts) / u128::from(period))
                            .unwrap();
                    assert!((last - first + 1) as u64 <= most, "seed {seed}: {limit:?} from {from} to {to}");
                }
            }
        }
    }
}
