//! The indexes that a listing can walk, and their orders.

use super::PageEnd;
use crate::{JobMeta, LeaseToken, State, Tag, Timestamp};

/// The index that a listing reads, which sets its order. The cost of a page depends on the jobs
/// that it steps through in this index, and on nothing else that is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Walk {
    /// Every job of the queue, by `seq`, which is the order of the enqueues.
    All(Direction),
    /// The jobs in one state by the time at which they [came into it](JobMeta::entered_at), then by
    /// `seq`. Queued and Completed jobs only by `seq`: every job passes these states, so every job
    /// would pay for an index by time.
    ///
    /// A page of Queued or Completed jobs may step through other jobs of the queue. A page of
    /// Processing jobs may look at all leased jobs, which are about as many as workers have slots.
    State(State, Direction),
    /// The jobs that could be claimed now, in the order of claims: by priority, `run_at`, `seq`.
    Due,
    /// The jobs that wait for their due time, by `run_at`, then `seq`.
    Scheduled,
    /// The jobs behind a closed gate, by its time-out, then `seq`. A store without
    /// [gates](crate::Limits::gates) has none.
    Gated,
    /// The jobs with this tag, by `seq`.
    Tagged(Tag, Direction),
    /// The jobs whose lease has lapsed, the longest lapsed first.
    Lapsed,
    /// The jobs that are leased under this token, lapsed or not, by `seq`, to find the jobs of a
    /// claim whose answer was lost. Only the sender of the claim knows the token, and no page shows
    /// it.
    Held {
        /// The token of the claim.
        token: LeaseToken,
    },
}

/// Which end of an index comes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Direction {
    /// The oldest entry first.
    #[default]
    OldestFirst,
    /// The newest entry first.
    NewestFirst,
}

impl Walk {
    /// Whether a job is in this index. `held` is the token of its lease.
    pub fn contains(&self, job: &JobMeta, held: Option<LeaseToken>, now: Timestamp) -> bool {
        if job.is_purged(now) {
            return false;
        }
        match self {
            Self::All(_) => true,
            Self::State(state, _) => job.state == *state,
            Self::Due => job.is_due(now),
            Self::Scheduled => job.is_scheduled(now),
            Self::Gated => job.is_gated(now),
            Self::Tagged(tag, _) => job.tags.contains(tag),
            Self::Lapsed => job.is_lapsed(now),
            Self::Held { token } => held == Some(*token),
        }
    }

    /// The position of a job in this index. In an index that is ordered only by `seq` all jobs have
    /// the same time and priority.
    pub fn place_of(&self, job: &JobMeta) -> PageEnd {
        let seq = job.seq.get();
        let by_time = |at| PageEnd { at, priority: 0, seq };
        match self {
            Self::State(..) if self.is_by_time() => by_time(job.entered_at()),
            Self::All(_) | Self::State(..) | Self::Tagged(..) | Self::Held { .. } => {
                by_time(Timestamp::default())
            }
            Self::Due => PageEnd { at: job.run_at, priority: job.priority, seq },
            Self::Scheduled | Self::Gated => by_time(job.run_at),
            Self::Lapsed => by_time(job.lease.as_ref().map_or(job.run_at, |lease| lease.expires_at)),
        }
    }

    /// Whether the index is ordered by the time at which jobs [came into](JobMeta::entered_at)
    /// their state.
    pub const fn is_by_time(&self) -> bool {
        matches!(self, Self::State(State::Processing | State::Failing | State::Failed | State::Cancelled, _))
    }

    /// The end of the index that comes first.
    pub const fn direction(&self) -> Direction {
        match self {
            Self::All(direction) | Self::State(_, direction) | Self::Tagged(_, direction) => *direction,
            Self::Due | Self::Scheduled | Self::Gated | Self::Lapsed | Self::Held { .. } => {
                Direction::OldestFirst
            }
        }
    }

    /// Whether the newest entries come first.
    pub const fn is_reversed(&self) -> bool {
        matches!(self.direction(), Direction::NewestFirst)
    }
}
