use super::PageEnd;
use crate::{JobMeta, LeaseToken, State, Tag, Timestamp};

/// What a listing goes along, and thereby its order. Each is an index of the queue, so that a page
/// costs what it steps through, whatever else is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Walk {
    /// Every job of the queue, by `seq`: in the order of their enqueue.
    All(Direction),
    /// The jobs in one state by the time at which they [came into it](JobMeta::entered_at), then by
    /// `seq`. Queued and Completed ones by `seq` alone: every job passes these states, so every job
    /// would pay for an index by time.
    ///
    /// A page of Queued or Completed jobs may step through others of the queue. One of Processing
    /// jobs may look at all that are leased, which are as many as there are slots of workers.
    State(State, Direction),
    /// Those that could be claimed now, in the order of claims: by priority, `run_at`, `seq`.
    Due,
    /// Those that wait for their time, by `run_at`, then `seq`.
    Scheduled,
    /// Those with this tag, by `seq`.
    Tagged(Tag, Direction),
    /// Those whose lease has lapsed, the longest lapsed first.
    Lapsed,
    /// Those leased under this token, lapsed or not, by `seq`: what came of a claim whose answer
    /// was lost. Only who made the claim knows the token, and no page shows it.
    Held {
        /// The token of the claim.
        token: LeaseToken,
    },
}

/// Which end of an index comes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Direction {
    /// The one that is there longest.
    #[default]
    OldestFirst,
    /// The one that came last.
    NewestFirst,
}

impl Walk {
    /// Whether a job stands in this index. `held` is the token of its lease.
    pub fn contains(&self, job: &JobMeta, held: Option<LeaseToken>, now: Timestamp) -> bool {
        if job.is_purged(now) {
            return false;
        }
        match self {
            Self::All(_) => true,
            Self::State(state, _) => job.state == *state,
            Self::Due => job.is_due(now),
            Self::Scheduled => job.is_scheduled(now),
            Self::Tagged(tag, _) => job.tags.contains(tag),
            Self::Lapsed => job.is_lapsed(now),
            Self::Held { token } => held == Some(*token),
        }
    }

    /// Where a job stands in this index. In an index that goes by `seq` alone all have the same
    /// time and priority.
    pub fn place_of(&self, job: &JobMeta) -> PageEnd {
        let seq = job.seq.get();
        let by_time = |at| PageEnd { at, priority: 0, seq };
        match self {
            Self::State(..) if self.is_by_time() => by_time(job.entered_at()),
            Self::All(_) | Self::State(..) | Self::Tagged(..) | Self::Held { .. } => {
                by_time(Timestamp::default())
            }
            Self::Due => PageEnd { at: job.run_at, priority: job.priority, seq },
            Self::Scheduled => by_time(job.run_at),
            Self::Lapsed => by_time(job.lease.as_ref().map_or(job.run_at, |lease| lease.expires_at)),
        }
    }

    /// It goes by the time at which jobs [came into](JobMeta::entered_at) their state.
    pub const fn is_by_time(&self) -> bool {
        matches!(self, Self::State(State::Processing | State::Failing | State::Failed | State::Cancelled, _))
    }

    /// Which end comes first.
    pub const fn direction(&self) -> Direction {
        match self {
            Self::All(direction) | Self::State(_, direction) | Self::Tagged(_, direction) => *direction,
            Self::Due | Self::Scheduled | Self::Lapsed | Self::Held { .. } => Direction::OldestFirst,
        }
    }

    /// The newest come first.
    pub const fn is_reversed(&self) -> bool {
        matches!(self.direction(), Direction::NewestFirst)
    }
}
