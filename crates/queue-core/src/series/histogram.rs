//! A histogram of lengths of time with fixed buckets.

use std::time::Duration;

/// How often lengths of time were seen, in 26 buckets whose bounds never change.
///
/// Bucket 0 has times under 1 ms. Bucket `i` has times from 2^(i-1) ms to under 2^i ms: 1 ms, 2 to
/// 3 ms, 4 to 7 ms, and so on. The last one, 25, has all from 2^24 ms on, which is 4 h 40 min. So a
/// percentile is exact to a factor of two, and mostly better.
///
/// ```
/// use queue_core::series::TimeHistogram;
/// use std::time::Duration;
///
/// let mut runs = TimeHistogram::default();
/// for millis in 1..=100 {
///     runs.record(Duration::from_millis(millis));
/// }
/// assert_eq!(runs.count(), 100);
/// assert_eq!(runs.mean(), Some(Duration::from_micros(50_500)));
/// let half = runs.percentile(50).expect("it is not empty");
/// assert!(half > Duration::from_millis(32) && half < Duration::from_millis(64));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TimeHistogram {
    counts: [u64; Self::BUCKETS],
    sum_us: u64,
}

impl TimeHistogram {
    /// The number of buckets.
    pub const BUCKETS: usize = 26;

    /// The shortest length of time that belongs to a bucket and to none before it.
    pub const fn bound(bucket: usize) -> Duration {
        match bucket {
            0 => Duration::ZERO,
            _ => Duration::from_millis(1 << (bucket - 1)),
        }
    }

    /// Counts a length of time.
    #[inline]
    pub fn record(&mut self, time: Duration) {
        let us = time.as_secs().saturating_mul(1_000_000).saturating_add(u64::from(time.subsec_micros()));
        let bits = u64::BITS - (us / 1000).leading_zeros();
        let bucket = (bits as usize).min(Self::BUCKETS - 1);
        self.counts[bucket] = self.counts[bucket].saturating_add(1);
        self.sum_us = self.sum_us.saturating_add(us);
    }

    /// How many times each bucket has.
    pub const fn buckets(&self) -> &[u64; Self::BUCKETS] {
        &self.counts
    }

    /// How many times were counted.
    pub fn count(&self) -> u64 {
        self.counts.iter().fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// The sum of all times.
    pub const fn sum(&self) -> Duration {
        Duration::from_micros(self.sum_us)
    }

    /// The mean of all times; `None` if there are none.
    pub fn mean(&self) -> Option<Duration> {
        self.sum_us.checked_div(self.count()).map(Duration::from_micros)
    }

    /// The length of time that this share of all times does not exceed, in percent: 50 is the
    /// median. It is interpolated within its bucket; in the last bucket it is the lower bound.
    /// `None` if there are no times.
    pub fn percentile(&self, percent: u8) -> Option<Duration> {
        let count = u128::from(self.count());
        let rank = (count * u128::from(percent.min(100))).div_ceil(100).max(1);
        let mut before = 0;
        for (bucket, &here) in self.counts.iter().enumerate() {
            let here = u128::from(here);
            if before + here >= rank && here > 0 {
                let lower = Self::bound(bucket).as_micros();
                if bucket == Self::BUCKETS - 1 {
                    return Some(Self::bound(bucket));
                }
                let width = Self::bound(bucket + 1).as_micros() - lower;
                let us = lower + width * (rank - before) / (here + 1);
                return Some(Duration::from_micros(u64::try_from(us).unwrap_or(u64::MAX)));
            }
            before += here;
        }
        None
    }

    /// Adds the times of another histogram.
    pub fn add(&mut self, other: &Self) {
        self.zip(other, u64::saturating_add);
    }

    /// Raises each number to that of another histogram where that is higher.
    pub(super) fn raise(&mut self, other: &Self) {
        self.zip(other, u64::max);
    }

    fn zip(&mut self, other: &Self, merge: impl Fn(u64, u64) -> u64) {
        for (own, other) in self.counts.iter_mut().zip(other.counts) {
            *own = merge(*own, other);
        }
        self.sum_us = merge(self.sum_us, other.sum_us);
    }

    pub(super) const fn sum_us(&self) -> u64 {
        self.sum_us
    }

    pub(super) const fn from_parts(counts: [u64; Self::BUCKETS], sum_us: u64) -> Self {
        Self { counts, sum_us }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bucket_of(time: Duration) -> usize {
        let mut histogram = TimeHistogram::default();
        histogram.record(time);
        histogram.counts.iter().position(|count| *count == 1).expect("it was counted")
    }

    #[test]
    fn a_bucket_has_its_bound_and_not_the_microsecond_before() {
        assert_eq!(bucket_of(Duration::ZERO), 0);
        for bucket in 1..TimeHistogram::BUCKETS {
            let bound = TimeHistogram::bound(bucket);
            assert_eq!(bucket_of(bound), bucket);
            assert_eq!(bucket_of(bound.saturating_sub(Duration::from_micros(1))), bucket - 1);
        }
        assert_eq!(bucket_of(Duration::MAX), TimeHistogram::BUCKETS - 1);
    }

    #[test]
    fn a_percentile_lies_in_the_bucket_of_its_rank() {
        let mut histogram = TimeHistogram::default();
        assert_eq!((histogram.percentile(50), histogram.mean()), (None, None));
        for _ in 0..99 {
            histogram.record(Duration::from_millis(5));
        }
        histogram.record(Duration::from_hours(9));
        for (percent, bucket) in [(0, 3), (1, 3), (50, 3), (99, 3), (100, 25), (255, 25)] {
            let time = histogram.percentile(percent).expect("it has times");
            assert_eq!(bucket_of(time), bucket, "{percent} %: {time:?}");
        }
        assert!(histogram.percentile(10) < histogram.percentile(90));
    }
}
