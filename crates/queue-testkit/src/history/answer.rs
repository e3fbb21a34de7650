//! The answers of a store, and the records in them, as a history keeps them.

use crate::history::{GateView, SignalView, Status};
use serde::{Deserialize, Serialize};

/// An answer of the store.
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
    /// Enqueue: nothing is stored, since a job that was to be raised takes no raise.
    Orphaned,
    /// Claim: a job was leased.
    Claimed,
    /// Claim: no job was leased.
    Nothing {
        /// The store says that no job is due before this.
        next_due: Option<i64>,
        /// The queue is paused.
        paused: bool,
    },
    /// Change: it was applied.
    Done,
    /// Change: the lease belongs to another claim.
    LeaseLost,
    /// Change: the record has changed since it was read.
    Stale,
    /// Change: the life no longer exists.
    Missing,
    /// Read, List: the record is in the event.
    Found,
    /// Read: there is no record.
    Absent,
    /// Count: the number of jobs per state, in the order of [`Status`].
    Counted([u64; 6]),
    /// Prune: the number of removed records.
    Pruned(u64),
    /// Verify: what the cross-check found.
    Findings(Vec<String>),
    /// Wait: the outcome; its result is in the event.
    Ended(Status),
    /// Wait: the life was seen and no longer exists.
    Expired,
    /// Wait: the life was never seen.
    Unknown,
    /// Wait: no outcome before the deadline.
    TimedOut,
    /// The answer did not have the form that the question requires.
    Malformed,
    /// Any other call: it worked.
    Plain,
}

/// A record as an answer showed it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RecordView {
    /// The revision, which grows with every write.
    pub revision: u64,
    /// The number of claims in this life.
    pub epoch: u64,
    /// The state.
    pub status: Status,
    /// The reason why it is Failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The number of failed attempts.
    pub failures: u32,
    /// The number of lapsed leases.
    pub stalls: u32,
    /// The budget of failures; 0 for no limit.
    pub max_attempts: u32,
    /// The budget of lapses; 0 for no limit.
    pub max_stalls: u32,
    /// The priority; a lower number goes first.
    pub priority: i16,
    /// The partition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partition: Option<String>,
    /// The time at which the life began.
    pub created_at: i64,
    /// The time before which it must not be claimed.
    pub run_at: i64,
    /// The time at which the lease lapses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<i64>,
    /// The time from which the record counts as absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub purge_at: Option<i64>,
    /// The gate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gate: Option<GateView>,
    /// The end signals, where the answer contained the large parts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signals: Option<Vec<SignalView>>,
    /// Whether the answer contained the large parts too.
    pub with_body: bool,
}
