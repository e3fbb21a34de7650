//! How long a program asks to keep a finished job.

use crate::{Retention, Span};
use std::time::Duration;

/// How long a finished job is kept, with its result, its error and its id. A [`Duration`] converts
/// into it.
///
/// A job that a caller waits for is kept at least 60 seconds, also under a shorter value.
///
/// Programs use this type; stores write a [`Retention`], into which it converts: zero becomes "not
/// at all", more than 100 years become 100 years, and fractions of a millisecond round up. The
/// typed client refuses zero and more than 100 years.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Keep {
    /// This long, counted from the job's end.
    For(Duration),
    /// Until it is deleted.
    Forever,
    /// Not at all: the job is removed as soon as it finishes.
    Nothing,
}

impl From<Duration> for Keep {
    fn from(ttl: Duration) -> Self {
        Self::For(ttl)
    }
}

impl From<Keep> for Retention {
    fn from(keep: Keep) -> Self {
        match keep {
            Keep::For(Duration::ZERO) | Keep::Nothing => Self::Remove,
            Keep::For(ttl) => Self::Keep(Span::at_most(ttl)),
            Keep::Forever => Self::Forever,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_of_time_is_one_that_stores_can_write() {
        for (keep, retention) in [
            (Keep::from(Duration::ZERO), Retention::Remove),
            (Keep::Nothing, Retention::Remove),
            (Keep::For(Duration::from_nanos(1)), Retention::Keep(Span::from_millis(1))),
            (Keep::For(Duration::MAX), Retention::Keep(Span::MAX)),
            (Keep::Forever, Retention::Forever),
        ] {
            assert_eq!(Retention::from(keep), retention, "{keep:?}");
        }
    }
}
