//! When a failed job runs again: pure functions of the attempt number.

use crate::Span;
use std::{fmt, sync::Arc, time::Duration};

/// How long a job waits after failure number `n`, or that it gets no further attempt. Waits are
/// whole milliseconds, rounded up, and at most 100 years.
///
/// ```
/// use queue_core::RetryPolicy;
/// use std::time::Duration;
///
/// let minute = Duration::from_secs(60);
/// let policy = RetryPolicy::from(RetryPolicy::exponential(Duration::from_secs(1)).cap(minute).jitter(0.0));
/// let waits: Vec<u64> = (1..=8).filter_map(|n| policy.delay(n, 0)).map(|wait| wait.as_secs()).collect();
/// assert_eq!(waits, [1, 2, 4, 8, 16, 32, 60, 60]);
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub enum RetryPolicy {
    /// No further attempt: the first failure is final.
    None,
    /// The same wait after each failure.
    Fixed(Duration),
    /// Waits that grow by a factor, up to a cap, and are shortened at random; made by
    /// [`exponential`](Self::exponential).
    Exponential(Exponential),
    /// A function of the program: from the number of the failure, counted from one, to the wait.
    /// `None` ends the retries.
    Custom(Arc<dyn Fn(u32) -> Option<Duration> + Send + Sync>),
}

/// Waits that grow; made by [`RetryPolicy::exponential`]. It converts into a [`RetryPolicy`], and
/// methods that take a policy accept it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub struct Exponential {
    base: Span,
    factor: f64,
    cap: Span,
    jitter: f64,
}

const DEFAULT: Exponential =
    Exponential { base: Span::from_secs(1), factor: 2.0, cap: Span::from_secs(6 * 3600), jitter: 0.25 };

impl RetryPolicy {
    /// Waits that begin with `base` and double up to six hours, each shortened at random by up to a
    /// quarter.
    pub fn exponential(base: Duration) -> Exponential {
        Exponential { base: Span::at_most(base), ..DEFAULT }
    }

    /// A policy that is a function of the program: from the number of the failure, counted from
    /// one, to the wait. `None` ends the retries.
    pub fn custom(delay: impl Fn(u32) -> Option<Duration> + Send + Sync + 'static) -> Self {
        Self::Custom(Arc::new(delay))
    }

    /// The wait after failure number `n` (from one); `roll` is the source of the jitter.
    pub fn delay(&self, n: u32, roll: u64) -> Option<Duration> {
        match self {
            Self::None => None,
            Self::Fixed(wait) => Some(*wait),
            Self::Exponential(numbers) => Some(numbers.delay(n, roll)),
            Self::Custom(delay) => delay(n),
        }
    }
}

impl Default for RetryPolicy {
    /// One second, doubling up to six hours, shortened at random by up to a quarter. The waits
    /// between the 25 attempts of [`Budget::ATTEMPTS`](crate::Budget::ATTEMPTS) add up to 63 hours
    /// without the shortening, 55 on average and 47 at least.
    fn default() -> Self {
        Self::Exponential(DEFAULT)
    }
}

impl From<Exponential> for RetryPolicy {
    fn from(numbers: Exponential) -> Self {
        Self::Exponential(numbers)
    }
}

impl Exponential {
    /// Sets the factor by which each wait is longer than the one before; a factor below 1, or one
    /// that is not a number, counts as 1. Default 2.
    pub fn factor(mut self, factor: f64) -> Self {
        self.factor = if factor.is_finite() { factor.max(1.0) } else { 1.0 };
        self
    }

    /// Sets the longest wait, which is never exceeded, since jitter only shortens. Default six
    /// hours.
    pub fn cap(mut self, cap: Duration) -> Self {
        self.cap = Span::at_most(cap);
        self
    }

    /// Sets the share by which a wait is shortened at most, at random, from 0 to 1, so that jobs
    /// which failed together do not come back together. Default a quarter.
    pub fn jitter(mut self, share: f64) -> Self {
        self.jitter = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
        self
    }

    /// The wait after failure number `n` (from one); `roll` is the source of the jitter.
    #[expect(clippy::cast_precision_loss, reason = "a wait needs no more than 53 bits")]
    pub fn delay(&self, n: u32, roll: u64) -> Duration {
        let exponent = i32::try_from(n.saturating_sub(1)).unwrap_or(i32::MAX);
        let full = (self.base.as_millis() as f64) * self.factor.powi(exponent);
        let capped = full.min(self.cap.as_millis() as f64);
        let unit = (roll >> 11) as f64 / (1_u64 << 53) as f64;
        Span::from_millis((capped * (1.0 - self.jitter * unit)).round() as i64).as_duration()
    }
}

impl fmt::Debug for RetryPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("None"),
            Self::Fixed(wait) => f.debug_tuple("Fixed").field(wait).finish(),
            Self::Exponential(numbers) => numbers.fmt(f),
            Self::Custom(_) => f.write_str("Custom(..)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn jitter_only_shortens_and_the_cap_is_never_passed() {
        let policy = RetryPolicy::exponential(SECOND).factor(3.0).cap(10 * SECOND).jitter(0.5);
        for n in [1, 2, 3, 4, 5, 100, u32::MAX] {
            let (longest, shortest) = (policy.delay(n, 0), policy.delay(n, u64::MAX));
            assert!(longest <= 10 * SECOND, "{n}: {longest:?}");
            assert!(shortest * 2 >= longest && shortest < longest, "{n}: {shortest:?}");
        }
    }

    #[test]
    fn the_default_attempts_span_about_two_and_a_half_days() {
        let retries = crate::Budget::ATTEMPTS.as_raw() - 1;
        let policy = RetryPolicy::default();
        let waits_hours = |roll| {
            let waits = (1..=retries).map(|n| policy.delay(n, roll).expect("retries").as_millis());
            waits.sum::<u128>() / 3_600_000
        };
        assert_eq!([0, u64::MAX / 2, u64::MAX].map(waits_hours), [63, 55, 47]);
        assert_eq!(policy.delay(1, 0), Some(SECOND));
        assert_eq!(policy.delay(retries, 0), Some(6 * 3600 * SECOND));
    }

    #[test]
    fn senseless_numbers_become_sensible_ones() {
        let policy = RetryPolicy::exponential(SECOND).factor(f64::NAN).jitter(f64::INFINITY);
        assert_eq!(policy.delay(9, u64::MAX), SECOND);
        assert_eq!(policy.factor(0.5).delay(9, u64::MAX), SECOND);
        assert_eq!(policy.factor(2.0).cap(Duration::MAX).delay(u32::MAX, 0), Span::MAX.as_duration());
    }

    #[test]
    fn custom_and_none_can_end_the_retries() {
        let twice = RetryPolicy::custom(|n| (n < 3).then_some(7 * SECOND));
        assert_eq!(twice.delay(2, 0), Some(7 * SECOND));
        assert_eq!(twice.delay(3, 0), None);
        assert_eq!(RetryPolicy::None.delay(1, 0), None);
    }
}
