//! Where a job stands, as a filter names it.

use queue_core::{JobMeta, Span, State, Timestamp};
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// A job whose due time is further away than this is parked: it waits until it is promoted.
const PARKED_BEYOND: Span = Span::from_millis(Span::MAX.as_millis() / 2);

/// Where a job stands: its state, with the waiting jobs divided by the reason for which they wait.
/// A filter of an operation names each standing that it means, so that no job that waits for its
/// time is changed by accident.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Queued and due: it could be claimed.
    Queued,
    /// Queued, and not due yet.
    Scheduled,
    /// Waiting, with a due time that is so far away that it never comes, such as a paused schedule.
    Parked,
    /// Leased by a worker.
    Processing,
    /// Waiting to run again after a failure or a stall.
    Failing,
    /// Done.
    Completed,
    /// Given up.
    Failed,
    /// Cancelled, or expired.
    Cancelled,
}

impl Standing {
    /// Every standing, in the order in which people read them.
    pub const ALL: [Self; 8] = [
        Self::Queued,
        Self::Scheduled,
        Self::Parked,
        Self::Processing,
        Self::Failing,
        Self::Completed,
        Self::Failed,
        Self::Cancelled,
    ];

    /// Where a job stands at a time.
    pub fn of(job: &JobMeta, now: Timestamp) -> Self {
        if job.state.is_waiting() && job.run_at > now + PARKED_BEYOND {
            return Self::Parked;
        }
        match job.state {
            State::Queued if job.run_at > now => Self::Scheduled,
            State::Queued => Self::Queued,
            State::Processing => Self::Processing,
            State::Failing => Self::Failing,
            State::Completed => Self::Completed,
            State::Failed => Self::Failed,
            State::Cancelled => Self::Cancelled,
        }
    }

    /// The states that a job of this standing may have.
    pub(super) const fn states(self) -> &'static [State] {
        match self {
            Self::Queued | Self::Scheduled => &[State::Queued],
            Self::Parked => &[State::Queued, State::Failing],
            Self::Processing => &[State::Processing],
            Self::Failing => &[State::Failing],
            Self::Completed => &[State::Completed],
            Self::Failed => &[State::Failed],
            Self::Cancelled => &[State::Cancelled],
        }
    }

    /// The lower-case name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Scheduled => "scheduled",
            Self::Parked => "parked",
            Self::Processing => "processing",
            Self::Failing => "failing",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Standing {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|standing| standing.as_str() == text).ok_or_else(|| {
            let names = Self::ALL.map(Self::as_str).join(", ");
            format!("a job cannot stand {text:?}; use one of {names}")
        })
    }
}
