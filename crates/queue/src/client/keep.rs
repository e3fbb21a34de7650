use crate::InvalidOption;
use queue_core::{Retention, Span};
use std::time::Duration;

/// How long a finished job stays, and with it its result, its error and its claim on the id. A [`Duration`] converts.
///
/// A job that somebody waits for stays at least 60 seconds, whatever is said here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// This long from when it finished: more than zero, at most 100 years, fractions of a millisecond rounded up.
    For(Duration),
    /// Until it is deleted.
    Forever,
    /// Not at all: it is gone as soon as it finishes.
    Nothing,
}

impl Keep {
    /// For a time to live that came as a number.
    ///
    /// # Errors
    /// [`InvalidOption::NotPositive`] for zero and less, [`InvalidOption::TooLong`] for more than 100 years.
    pub fn for_millis(millis: i64) -> Result<Self, InvalidOption> {
        let millis = u64::try_from(millis).unwrap_or(0);
        let keep = Self::For(Duration::from_millis(millis));
        keep.validate().map(|_| keep)
    }

    pub(crate) fn validate(self) -> Result<Retention, InvalidOption> {
        match self {
            Self::For(ttl) if ttl.is_zero() => Err(InvalidOption::NotPositive { what: "a time to live" }),
            Self::For(ttl) => Ok(Retention::Keep(checked_span("a time to live", ttl)?)),
            Self::Forever => Ok(Retention::Forever),
            Self::Nothing => Ok(Retention::Remove),
        }
    }
}

impl From<Duration> for Keep {
    fn from(ttl: Duration) -> Self {
        Self::For(ttl)
    }
}

/// Any that is longer than zero.
pub(crate) fn positive_span(what: &'static str, given: Duration) -> Result<Span, InvalidOption> {
    if given.is_zero() { Err(InvalidOption::NotPositive { what }) } else { checked_span(what, given) }
}

/// Any length of time that store time can hold, zero included.
pub(crate) fn checked_span(what: &'static str, given: Duration) -> Result<Span, InvalidOption> {
    Span::new(what, given).map_err(|_| InvalidOption::TooLong { what, given })
}
