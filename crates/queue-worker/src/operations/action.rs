//! What an operation does to each job.

use super::wire;
use queue_core::{
    ContentType, JobMeta, Retention, State, Timestamp,
    lifecycle::{Amendment, Event, OnProcessing},
};
use queue_view::Standing;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What an operation does to each job that it meets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Action {
    /// Cancels it.
    Cancel {
        /// What happens to it if it runs.
        #[serde(with = "wire::on_processing")]
        processing: OnProcessing,
    },
    /// Runs it again, with fresh budgets.
    Redrive {
        /// Replaces the content type of its payload, if given.
        #[serde(default, with = "wire::content_type", skip_serializing_if = "Option::is_none")]
        content_type: Option<ContentType>,
    },
    /// Makes it due now.
    Promote,
    /// Removes it.
    Delete,
    /// Keeps its record for another time, counted from the change.
    Retain(#[serde(with = "wire::retention")] Retention),
    /// Gives it another priority.
    Prioritize(i16),
}

impl Action {
    /// Runs jobs again as they are.
    pub const REDRIVE: Self = Self::Redrive { content_type: None };

    /// The event that is decided on each job.
    pub fn event(&self) -> Event {
        match self {
            Self::Cancel { processing } => Event::Cancel { processing: *processing },
            Self::Redrive { content_type } => Event::Redrive { content_type: content_type.clone() },
            Self::Promote => Event::Promote,
            Self::Delete => Event::Delete,
            Self::Retain(retention) => Event::SetRetention(*retention),
            Self::Prioritize(priority) => Event::Amend(Amendment::of_priority(*priority)),
        }
    }

    /// Whether it can change a job that stands so.
    pub const fn is_for(&self, standing: Standing) -> bool {
        use Standing::{
            Cancelled, Completed, Due, Failed, Failing, Gated, Lapsed, Parked, Processing, Queued, Scheduled,
        };
        match self {
            Self::Cancel { processing: OnProcessing::Request } => {
                matches!(standing, Due | Scheduled | Parked | Gated | Queued | Failing | Processing | Lapsed)
            }
            Self::Cancel { processing: OnProcessing::Leave } | Self::Prioritize(_) => {
                matches!(standing, Due | Scheduled | Parked | Gated | Queued | Failing)
            }
            Self::Redrive { .. } => matches!(standing, Failed | Cancelled),
            Self::Promote => matches!(standing, Scheduled | Parked | Gated | Queued | Failing),
            Self::Delete => !matches!(standing, Processing | Lapsed),
            Self::Retain(_) => matches!(standing, Completed | Failed | Cancelled),
        }
    }

    /// Whether a job that was seen at a revision, and has another one now, shows that this was done
    /// to it. The record does not say who did it: a runner that died after it had sent its changes,
    /// or another caller who meant the same.
    pub(super) fn shows_in(&self, job: &JobMeta, seen: u64, begun: Timestamp, now: Timestamp) -> bool {
        match self {
            Self::Cancel { .. } => job.state == State::Cancelled || job.cancel_requested,
            // It was in a final state, and is not any more, or has come into one again.
            Self::Redrive { .. } => !job.state.is_terminal() || job.entered_at() > begun,
            Self::Promote => !job.state.is_waiting() || job.run_at <= now,
            Self::Delete => false,
            Self::Retain(_) => job.revision == seen + 1,
            Self::Prioritize(priority) => job.priority == *priority,
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Cancel { .. } => "cancel",
            Self::Redrive { .. } => "redrive",
            Self::Promote => "promote",
            Self::Delete => "delete",
            Self::Retain(_) => "retain",
            Self::Prioritize(_) => "prioritize",
        })
    }
}
