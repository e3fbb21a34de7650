use crate::Span;

/// A record that somebody waits for stays at least this long once terminal, so that the waiter can read it.
pub const AWAITED_MIN: Span = Span::from_secs(60);

/// How long a terminal record stays, and with it its result, its error and its claim on the id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Retention {
    /// Leaves at once.
    Remove,
    /// Leaves after this long.
    Keep(Span),
    /// Stays until deleted.
    Forever,
}

impl Retention {
    /// The same, but long enough for somebody who waits.
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
    /// One hour.
    fn default() -> Self {
        Self::Keep(Span::from_secs(3600))
    }
}

/// Retention by outcome. One [`Retention`] converts into both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RetentionPolicy {
    /// For Completed.
    pub completed: Retention,
    /// For Failed and Cancelled.
    pub failed: Retention,
}

impl From<Retention> for RetentionPolicy {
    fn from(both: Retention) -> Self {
        Self { completed: both, failed: both }
    }
}
