//! How long a terminal record is kept, as stores write it.

use crate::Span;

/// How long a record that a caller waits for is kept at least once it is terminal, so that the
/// caller can read it.
pub const AWAITED_MIN: Span = Span::from_secs(60);

/// How long a terminal record is kept, with its result, its error and its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Retention {
    /// The record is removed at once.
    Remove,
    /// The record is kept this long.
    Keep(Span),
    /// The record is kept until it is deleted.
    Forever,
}

const FOREVER: i64 = -1;
const REMOVE: i64 = -2;

impl Retention {
    /// The stable number that stores write: milliseconds, or a negative code.
    pub const fn as_raw(self) -> i64 {
        match self {
            Self::Remove => REMOVE,
            Self::Forever => FOREVER,
            Self::Keep(span) => span.as_millis(),
        }
    }

    /// The retention of a stored number.
    pub const fn from_raw(raw: i64) -> Option<Self> {
        match raw {
            REMOVE => Some(Self::Remove),
            FOREVER => Some(Self::Forever),
            0.. => Some(Self::Keep(Span::from_millis(raw))),
            _ => None,
        }
    }

    /// The same retention, but no shorter than `min`.
    #[must_use]
    pub fn at_least(self, min: Span) -> Self {
        match self {
            Self::Remove => Self::Keep(min),
            Self::Keep(span) => Self::Keep(span.max(min)),
            Self::Forever => Self::Forever,
        }
    }
}

impl Default for Retention {
    /// One hour, the time for which [`RetentionPolicy::default`] keeps Completed jobs.
    fn default() -> Self {
        Self::Keep(Span::from_secs(3600))
    }
}

/// Retention by outcome. One [`Retention`] converts into both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RetentionPolicy {
    /// For Completed.
    pub completed: Retention,
    /// For Failed and Cancelled.
    pub failed: Retention,
}

impl Default for RetentionPolicy {
    /// One hour for Completed, which is long enough to read a result. Seven days for Failed and
    /// Cancelled, so that failures are still there after a long weekend.
    fn default() -> Self {
        let week = Span::from_secs(7 * 24 * 3600);
        Self { completed: Retention::default(), failed: Retention::Keep(week) }
    }
}

impl From<Retention> for RetentionPolicy {
    fn from(both: Retention) -> Self {
        Self { completed: both, failed: both }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_numbers_round_trip_and_others_are_refused() {
        for retention in
            [Retention::Remove, Retention::Forever, Retention::Keep(Span::ZERO), Retention::default()]
        {
            assert_eq!(Retention::from_raw(retention.as_raw()), Some(retention));
        }
        assert_eq!(Retention::from_raw(-3), None);
    }
}
