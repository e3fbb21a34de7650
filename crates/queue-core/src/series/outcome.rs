//! The outcomes that series count.

/// The outcome of an attempt, as series count it. The discriminants are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum WorkOutcome {
    /// The job is Completed.
    Completed = 0,
    /// The attempt failed and another follows.
    Failing = 1,
    /// The job is Failed.
    Failed = 2,
    /// The job was given back uncharged, now or for later.
    Released = 3,
    /// The job is Cancelled, or it expired.
    Cancelled = 4,
    /// The lease lapsed. The worker that ended it counts it.
    Stalled = 5,
}

impl WorkOutcome {
    /// All outcomes, in the order of their numbers.
    pub const ALL: [Self; 6] =
        [Self::Completed, Self::Failing, Self::Failed, Self::Released, Self::Cancelled, Self::Stalled];

    /// The name of the outcome, in lower case.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Failing => "failing",
            Self::Failed => "failed",
            Self::Released => "released",
            Self::Cancelled => "cancelled",
            Self::Stalled => "stalled",
        }
    }
}
