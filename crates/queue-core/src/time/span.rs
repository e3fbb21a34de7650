//! A validated length of store time.

use crate::{Error, Result};
use std::{fmt, num::NonZeroI64, time::Duration};

const MILLIS_MAX: i64 = 100 * 365 * 24 * 3_600_000;

/// A length of store time that was checked at the boundary: whole milliseconds, at most
/// [`Span::MAX`].
///
/// Fractions of a millisecond round up, so that no job becomes due before its time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The number of milliseconds plus one, so that an `Option<Span>` takes no more room than a
    /// `Span`.
    millis_and_one: NonZeroI64,
}

impl Span {
    /// No time at all.
    pub const ZERO: Self = Self::of(0);
    /// A hundred years of 365 days: long enough for any job, short enough never to overflow a
    /// timestamp.
    pub const MAX: Self = Self::of(MILLIS_MAX);

    /// Checks a duration that may be zero, such as a delay. `what` names it in the error.
    pub fn new(what: &'static str, duration: Duration) -> Result<Self> {
        let fraction = u64::from(duration.subsec_nanos().div_ceil(1_000_000));
        let millis = duration.as_secs().saturating_mul(1000).saturating_add(fraction);
        match i64::try_from(millis) {
            Ok(millis) if millis <= MILLIS_MAX => Ok(Self::of(millis)),
            _ => {
                let given = Self::in_years(duration);
                Err(Error::invalid(
                    "validate",
                    format!("{what} must be at most 100 years of 365 days, not {given}"),
                ))
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

    /// A duration that is too long for a span, in the unit of the bound: `100 years and 25 days`.
    pub fn in_years(duration: Duration) -> String {
        let days = duration.as_secs() / 86_400;
        match (days / 365, days % 365) {
            (years, 0) => {
                format!(
                    "{years} years and {:?}",
                    duration.saturating_sub(Duration::from_secs(years * 365 * 86_400))
                )
            }
            (years, days) => format!("{years} years and {days} days"),
        }
    }

    /// A duration rounded up, and [`MAX`](Self::MAX) if it is longer, for callers that need no
    /// error.
    pub fn at_most(duration: Duration) -> Self {
        Self::new("a duration", duration).unwrap_or(Self::MAX)
    }

    /// A span of milliseconds that a store kept, clamped to the valid range.
    pub const fn from_millis(millis: i64) -> Self {
        if millis < 0 {
            Self::ZERO
        } else if millis > MILLIS_MAX {
            Self::MAX
        } else {
            Self::of(millis)
        }
    }

    /// A span of milliseconds that are in the valid range.
    const fn of(millis: i64) -> Self {
        Self { millis_and_one: NonZeroI64::new(millis + 1).expect("it is not negative") }
    }

    /// A span of seconds, clamped to the valid range.
    pub const fn from_secs(secs: i64) -> Self {
        Self::from_millis(secs.saturating_mul(1000))
    }

    /// Whole milliseconds.
    pub const fn as_millis(self) -> i64 {
        self.millis_and_one.get() - 1
    }

    /// As a standard duration.
    pub const fn as_duration(self) -> Duration {
        Duration::from_millis(self.as_millis().unsigned_abs())
    }
}

impl Default for Span {
    fn default() -> Self {
        Self::ZERO
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Span").field(&self.as_millis()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn none_takes_no_room_and_the_bounds_are_what_they_seem() {
        assert_eq!(size_of::<Option<Span>>(), size_of::<i64>());
        for millis in [0, 1, MILLIS_MAX] {
            assert_eq!(Span::from_millis(millis).as_millis(), millis);
            assert_eq!(format!("{:?}", Span::from_millis(millis)), format!("Span({millis})"));
        }
        assert_eq!((Span::from_millis(-1), Span::from_millis(i64::MAX)), (Span::ZERO, Span::MAX));
        assert!(Span::ZERO < Span::from_millis(1) && Span::default() == Span::ZERO);
    }

    #[test]
    fn fractions_round_up_and_bounds_hold() {
        assert_eq!(Span::new("delay", Duration::from_nanos(1)).expect("valid").as_millis(), 1);
        assert_eq!(Span::new("delay", Duration::ZERO).expect("valid"), Span::ZERO);
        assert_eq!(Span::new("delay", Span::MAX.as_duration()).expect("valid"), Span::MAX);
        assert!(Span::new("delay", Span::MAX.as_duration() + Duration::from_nanos(1)).is_err());
        assert!(Span::new("delay", Duration::MAX).is_err());
        assert!(Span::positive("ttl", Duration::ZERO).is_err());
    }

    /// What a command makes of `100y`, whose years have 365.25 days.
    #[test]
    fn what_is_too_long_is_named_in_years() {
        let refused =
            |duration| Span::new("delay", duration).expect_err("it is too long").message().to_owned();
        let bound = "delay must be at most 100 years of 365 days, not ";
        assert_eq!(refused(Duration::from_secs(3_155_760_000)), format!("{bound}100 years and 25 days"));
        assert_eq!(
            refused(Span::MAX.as_duration() + Duration::from_millis(1)),
            format!("{bound}100 years and 1ms")
        );
        assert!(refused(Duration::MAX).contains(" years and "));
    }
}
