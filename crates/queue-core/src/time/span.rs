use crate::{Error, Result};
use std::time::Duration;

/// A length of store time that was checked at the boundary: whole milliseconds, at most [`Span::MAX`].
///
/// Fractions of a millisecond round up, so that nothing becomes due before its time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(i64);

impl Span {
    /// No time at all.
    pub const ZERO: Self = Self(0);
    /// A hundred years of 365 days: long enough for any job, short enough never to overflow a timestamp.
    pub const MAX: Self = Self(100 * 365 * 24 * 3_600_000);

    /// Checks a duration that may be zero, such as a delay. `what` names it in the error.
    pub fn new(what: &'static str, duration: Duration) -> Result<Self> {
        let millis = duration.as_nanos().div_ceil(1_000_000);
        match i64::try_from(millis) {
            Ok(millis) if millis <= Self::MAX.0 => Ok(Self(millis)),
            _ => {
                Err(Error::invalid("validate", format!("{what} must be at most 100 years, not {duration:?}")))
            }
        }
    }

    /// Checks a duration that must not be zero, such as a lease or a time to live.
    pub fn positive(what: &'static str, duration: Duration) -> Result<Self> {
        if duration.is_zero() {
            return Err(Error::invalid("validate", format!("{what} must be longer than zero")));
        }
        Self::new(what, duration)
    }

    /// From milliseconds that a store kept, clamped to the valid range.
    pub const fn from_millis(millis: i64) -> Self {
        if millis < 0 {
            Self(0)
        } else if millis > Self::MAX.0 {
            Self::MAX
        } else {
            Self(millis)
        }
    }

    /// From seconds, clamped to the valid range.
    pub const fn from_secs(secs: i64) -> Self {
        Self::from_millis(secs.saturating_mul(1000))
    }

    /// Whole milliseconds.
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// As a standard duration.
    pub const fn as_duration(self) -> Duration {
        Duration::from_millis(self.0.unsigned_abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_round_up_and_bounds_hold() {
        assert_eq!(Span::new("delay", Duration::from_nanos(1)).expect("valid").as_millis(), 1);
        assert_eq!(Span::new("delay", Duration::ZERO).expect("valid"), Span::ZERO);
        assert_eq!(Span::new("delay", Span::MAX.as_duration()).expect("valid"), Span::MAX);
        assert!(Span::new("delay", Span::MAX.as_duration() + Duration::from_nanos(1)).is_err());
        assert!(Span::new("delay", Duration::MAX).is_err());
        assert!(Span::positive("ttl", Duration::ZERO).is_err());
    }
}
