//! The reasons for which a job is Failed, or Cancelled without a request.

use std::fmt;

/// Why a job is Failed, or why it is Cancelled without a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// All attempts are spent.
    Exhausted,
    /// The handler said that no further attempt can help.
    Terminal,
    /// Too many leases of the job lapsed, so the job may be what kills its workers.
    Stalled,
    /// The worker has no handler for the kind.
    UnknownKind,
    /// The payload could not be decoded.
    Undecodable,
    /// The job had not started by the time that its producer set. Such a job is Cancelled.
    Expired,
}

impl Reason {
    /// Every reason, in the order in which stores number them.
    pub const ALL: [Self; 6] =
        [Self::Exhausted, Self::Terminal, Self::Stalled, Self::UnknownKind, Self::Undecodable, Self::Expired];

    /// The stable number that stores write.
    pub const fn as_code(self) -> u8 {
        self as u8
    }

    /// The reason of a stored number.
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code)).copied()
    }

    /// The lower-case name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Exhausted => "exhausted",
            Self::Terminal => "terminal",
            Self::Stalled => "stalled",
            Self::UnknownKind => "unknown_kind",
            Self::Undecodable => "undecodable",
            Self::Expired => "expired",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
