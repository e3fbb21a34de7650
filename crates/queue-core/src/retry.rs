//! When a failed job runs again: pure functions of the attempt number.

use crate::Span;
use std::{fmt, sync::Arc};

/// How long to wait after failure number `n`, or that no further attempt shall be made.
///
/// ```
/// use queue_core::{RetryPolicy, Span};
///
/// let policy = RetryPolicy::exponential(Span::from_secs(1), 2.0, Span::from_secs(60), 0.0);
/// let waits: Vec<i64> = (1..=8).filter_map(|n| policy.delay(n, 0)).map(|s| s.as_millis() / 1000).collect();
/// assert_eq!(waits, [1, 2, 4, 8, 16, 32, 60, 60]);
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub enum RetryPolicy {
    /// Never again: the first failure is final.
    None,
    /// Always the same wait.
    Fixed(Span),
    /// Each wait `factor` times the one before, never above `cap`, shortened at random by up to `jitter`.
    Exponential(Exponential),
    /// The program's own function of the failure number, counted from one. `None` ends the retries.
    Custom(Arc<dyn Fn(u32) -> Option<Span> + Send + Sync>),
}

/// The numbers of [`RetryPolicy::exponential`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exponential {
    base: Span,
    factor: f64,
    cap: Span,
    jitter: f64,
}

const DEFAULT: Exponential =
    Exponential { base: Span::from_secs(1), factor: 2.0, cap: Span::from_secs(6 * 3600), jitter: 0.25 };

impl RetryPolicy {
    /// A factor below 1 counts as 1; jitter is clamped to 0..=1. The cap is a hard ceiling: jitter only shortens.
    pub fn exponential(base: Span, factor: f64, cap: Span, jitter: f64) -> Self {
        let factor = if factor.is_finite() { factor.max(1.0) } else { 1.0 };
        let jitter = if jitter.is_finite() { jitter.clamp(0.0, 1.0) } else { 0.0 };
        Self::Exponential(Exponential { base, factor, cap, jitter })
    }

    /// The program's own function of the failure number, counted from one.
    pub fn custom(delay: impl Fn(u32) -> Option<Span> + Send + Sync + 'static) -> Self {
        Self::Custom(Arc::new(delay))
    }

    /// The wait after failure number `n` (from one); `roll` is where jitter comes from.
    pub fn delay(&self, n: u32, roll: u64) -> Option<Span> {
        match self {
            Self::None => None,
            Self::Fixed(span) => Some(*span),
            Self::Exponential(numbers) => Some(numbers.delay(n, roll)),
            Self::Custom(delay) => delay(n),
        }
    }
}

impl Default for RetryPolicy {
    /// One second, doubling up to six hours, shortened at random by up to a quarter. Between the 25 attempts of
    /// [`Budget::ATTEMPTS`](crate::Budget::ATTEMPTS) that is 63 hours without the shortening, 55 on average and 47 at least.
    fn default() -> Self {
        Self::Exponential(DEFAULT)
    }
}

impl Exponential {
    #[expect(clippy::cast_precision_loss, reason = "a wait needs no more than 53 bits")]
    fn delay(&self, n: u32, roll: u64) -> Span {
        let exponent = i32::try_from(n.saturating_sub(1)).unwrap_or(i32::MAX);
        let full = (self.base.as_millis() as f64) * self.factor.powi(exponent);
        let capped = full.min(self.cap.as_millis() as f64);
        let unit = (roll >> 11) as f64 / (1_u64 << 53) as f64;
        Span::from_millis((capped * (1.0 - self.jitter * unit)).round() as i64)
    }
}

impl fmt::Debug for RetryPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("None"),
            Self::Fixed(span) => f.debug_tuple("Fixed").field(span).finish(),
            Self::Exponential(numbers) => numbers.fmt(f),
            Self::Custom(_) => f.write_str("Custom(..)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jitter_only_shortens_and_the_cap_is_never_passed() {
        let policy = RetryPolicy::exponential(Span::from_secs(1), 3.0, Span::from_secs(10), 0.5);
        for n in [1, 2, 3, 4, 5, 100, u32::MAX] {
            let longest = policy.delay(n, 0).expect("retries");
            let shortest = policy.delay(n, u64::MAX).expect("retries");
            assert!(longest <= Span::from_secs(10), "{n}: {longest:?}");
            assert!(
                shortest.as_millis() * 2 >= longest.as_millis() && shortest < longest,
                "{n}: {shortest:?}"
            );
        }
    }

    #[test]
    fn the_default_attempts_span_about_two_and_a_half_days() {
        let retries = crate::Budget::ATTEMPTS.as_raw() - 1;
        let policy = RetryPolicy::default();
        let waits_hours = |roll| {
            let waits = (1..=retries).map(|n| policy.delay(n, roll).expect("retries").as_millis());
            waits.sum::<i64>() / 3_600_000
        };
        assert_eq!([0, u64::MAX / 2, u64::MAX].map(waits_hours), [63, 55, 47]);
        assert_eq!(policy.delay(1, 0), Some(Span::from_secs(1)));
        assert_eq!(policy.delay(retries, 0), Some(Span::from_secs(6 * 3600)));
    }

    #[test]
    fn senseless_numbers_become_sensible_ones() {
        let policy =
            RetryPolicy::exponential(Span::from_secs(1), f64::NAN, Span::from_secs(10), f64::INFINITY);
        assert_eq!(policy.delay(9, u64::MAX), Some(Span::from_secs(1)));
    }

    #[test]
    fn custom_and_none_can_end_the_retries() {
        let twice = RetryPolicy::custom(|n| (n < 3).then_some(Span::from_secs(7)));
        assert_eq!(twice.delay(2, 0), Some(Span::from_secs(7)));
        assert_eq!(twice.delay(3, 0), None);
        assert_eq!(RetryPolicy::None.delay(1, 0), None);
    }
}
