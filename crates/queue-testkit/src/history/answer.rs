//! Answers of a store, and records that they showed, as a history keeps them.

use crate::history::Status;
use serde::{Deserialize, Serialize};

/// What the store said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Answer {
    /// Enqueue: accepted, as the life in [`Event::seq`](crate::history::Event::seq).
    Queued,
    /// Enqueue: the id is taken by a life in this state.
    Duplicate(Status),
    /// Enqueue: the id is taken by a life that completed; its result is in the event.
    Completed,
    /// Claim: this job is leased.
    Claimed,
    /// Claim: no job.
    Nothing {
        /// None before this, says the store.
        next_due: Option<i64>,
        /// Because the queue is paused.
        paused: bool,
    },
    /// Change: it stands.
    Done,
    /// Change: the lease is another's.
    LeaseLost,
    /// Change: the record moved.
    Stale,
    /// Change: the life is gone.
    Missing,
    /// Read, List: the record is in the event.
    Found,
    /// Read: there is none.
    Absent,
    /// Count: this many per state, in the order of [`Status`].
    Counted([u64; 6]),
    /// Prune: this many were removed.
    Pruned(u64),
    /// Verify: what does not add up.
    Findings(Vec<String>),
    /// Wait: the outcome, whose result is in the event.
    Ended(Status),
    /// Wait: the life was seen and is gone.
    Expired,
    /// Wait: the life was never seen.
    Unknown,
    /// Wait: not before the deadline.
    TimedOut,
    /// The answer had not the shape of the question.
    Malformed,
    /// Whatever else: it worked.
    Plain,
}

/// A record as an answer showed it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RecordView {
    /// Grows with every write.
    pub revision: u64,
    /// Claims in this life.
    pub epoch: u64,
    /// The state.
    pub status: Status,
    /// Why it is Failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Failed attempts.
    pub failures: u32,
    /// Lapsed leases.
    pub stalls: u32,
    /// The budget of failures, 0 for none.
    pub max_attempts: u32,
    /// The budget of lapses, 0 for none.
    pub max_stalls: u32,
    /// Lower goes first.
    pub priority: i16,
    /// When the life began.
    pub created_at: i64,
    /// Not claimed before.
    pub run_at: i64,
    /// When the lease lapses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<i64>,
    /// When the record counts as absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub purge_at: Option<i64>,
    /// The answer showed the large parts too.
    pub with_body: bool,
}
