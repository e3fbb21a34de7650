//! How a job stands, as a filter names it.

use queue_core::{Counts, JobMeta, State, Timestamp};
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// How a job stands: its state, or a part of its state that time decides. Some of these overlap: a
/// job that failed and waits for its retry is failing and scheduled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Standing {
    /// Waiting, and its due time has come: a worker could claim it. It may have failed before.
    Due,
    /// Waiting for a due time that is still to come, for its first run or after a failure.
    Scheduled,
    /// Scheduled for a time so far away that it never comes, such as a paused schedule.
    Parked,
    /// Waiting behind a closed gate for the ends of other jobs. It is none of the scheduled ones.
    Gated,
    /// The state Queued, due or not: waiting without a failure.
    Queued,
    /// The state Processing: leased by a worker.
    Processing,
    /// Processing under a lease that has run out.
    Lapsed,
    /// The state Failing, due or not: waiting to run again after a failure or a stall.
    Failing,
    /// The state Completed.
    Completed,
    /// The state Failed: given up.
    Failed,
    /// The state Cancelled: cancelled, or expired.
    Cancelled,
}

/// No job stands in a way of this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no state {name:?}; use one of {}", Standing::ALL.map(Standing::as_str).join(", "))]
pub struct UnknownStanding {
    name: String,
}

impl Standing {
    /// Every standing, in the order in which people read them.
    pub const ALL: [Self; 11] = [
        Self::Due,
        Self::Scheduled,
        Self::Parked,
        Self::Gated,
        Self::Queued,
        Self::Processing,
        Self::Lapsed,
        Self::Failing,
        Self::Completed,
        Self::Failed,
        Self::Cancelled,
    ];

    /// The standings that divide the pages of jobs, each with its [count](Self::counted).
    pub const TABS: [Self; 8] = [
        Self::Due,
        Self::Scheduled,
        Self::Gated,
        Self::Processing,
        Self::Failing,
        Self::Failed,
        Self::Completed,
        Self::Cancelled,
    ];

    /// How many jobs stand so, as a store counts them; `None` if it does not count this part of a
    /// state.
    pub fn counted(self, counts: &Counts) -> Option<u64> {
        match (self, self.states()) {
            (Self::Due, _) => Some(counts.due()),
            (Self::Scheduled, _) => Some(counts.scheduled),
            (Self::Gated, _) => Some(counts.gated),
            (Self::Parked | Self::Lapsed, _) => None,
            (_, states) => Some(states.iter().map(|state| counts.of(*state)).sum()),
        }
    }

    /// The standing that says most about a job at a time. It is never `Queued`.
    pub fn of(job: &JobMeta, now: Timestamp) -> Self {
        match job.state {
            _ if job.is_parked(now) => Self::Parked,
            _ if job.is_gated(now) => Self::Gated,
            State::Queued if job.is_scheduled(now) => Self::Scheduled,
            State::Queued => Self::Due,
            State::Processing if job.is_lapsed(now) => Self::Lapsed,
            state => state.into(),
        }
    }

    /// Whether a job stands so at a time.
    pub fn includes(self, job: &JobMeta, now: Timestamp) -> bool {
        match self {
            Self::Due => job.is_due(now),
            Self::Scheduled => job.is_scheduled(now),
            Self::Parked => job.is_parked(now),
            Self::Gated => job.is_gated(now),
            Self::Lapsed => job.state == State::Processing && job.is_lapsed(now),
            _ => self.states() == [job.state],
        }
    }

    /// The states that a job of this standing may have.
    pub const fn states(self) -> &'static [State] {
        match self {
            Self::Due | Self::Scheduled | Self::Parked | Self::Gated => &[State::Queued, State::Failing],
            Self::Queued => &[State::Queued],
            Self::Processing | Self::Lapsed => &[State::Processing],
            Self::Failing => &[State::Failing],
            Self::Completed => &[State::Completed],
            Self::Failed => &[State::Failed],
            Self::Cancelled => &[State::Cancelled],
        }
    }

    /// The lower-case name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Due => "due",
            Self::Scheduled => "scheduled",
            Self::Parked => "parked",
            Self::Gated => "gated",
            Self::Queued => "queued",
            Self::Processing => "processing",
            Self::Lapsed => "lapsed",
            Self::Failing => "failing",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

impl From<State> for Standing {
    fn from(state: State) -> Self {
        match state {
            State::Queued => Self::Queued,
            State::Processing => Self::Processing,
            State::Failing => Self::Failing,
            State::Completed => Self::Completed,
            State::Failed => Self::Failed,
            State::Cancelled => Self::Cancelled,
        }
    }
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Standing {
    type Err = UnknownStanding;

    fn from_str(name: &str) -> Result<Self, UnknownStanding> {
        let found = Self::ALL.into_iter().find(|standing| standing.as_str() == name);
        found.ok_or_else(|| UnknownStanding { name: name.to_owned() })
    }
}
