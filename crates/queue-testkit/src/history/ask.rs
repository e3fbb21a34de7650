//! The arguments of calls, as a history keeps them.

use crate::history::{Closing, GateTerms, LimitView, SignalView};
use serde::{Deserialize, Serialize};

/// Those arguments of a call that a verdict can depend on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Ask {
    /// Enqueue: the group within the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<u32>,
    /// Enqueue: the delay before which it is not due.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay_ms: Option<i64>,
    /// Enqueue: the priority; a lower number goes first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<i16>,
    /// Enqueue: whether it replaces a Failed record of the id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaces_failed: Option<bool>,
    /// Enqueue: whether it replaces a waiting job of the id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaces_waiting: Option<bool>,
    /// Enqueue: the time after which the job is not started any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_ms: Option<i64>,
    /// Enqueue: the partition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partition: Option<String>,
    /// Enqueue: the gate behind which the job waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gate: Option<GateTerms>,
    /// Enqueue: the end signals.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub signals: Vec<SignalView>,
    /// Suspend: how it closes the gate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closes: Option<Closing>,
    /// Then: the life whose change it follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<u64>,
    /// Claim: the most jobs. Shutdown: not used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// Claim: the most jobs of limited partitions, if fewer than all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limited_max: Option<u64>,
    /// Limits: those that the call sets or removes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<LimitView>,
    /// Claim, Stall, Shutdown, Exec: the worker.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worker: Option<String>,
    /// Changes without a lease: the revision that must still stand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<u64>,
    /// Changes: what is written if the guard holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effect: Option<Effect>,
    /// Prune: the records to remove.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prune: Option<PruneKind>,
    /// Wait: the deadline, on the monotonic clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline_ns: Option<u64>,
    /// The caller's transaction that the call is part of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tx: Option<u64>,
}

/// What a change writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// The job waits again.
    Requeue,
    /// The job enters a terminal state, to be purged after this long, or never.
    Finish {
        /// The terminal state.
        status: Status,
        /// The time until it is purged.
        keep_ms: Option<i64>,
    },
    /// The record is removed.
    Remove,
    /// The expiry, a flag or the purge time changes; the state stays.
    Touch,
}

/// Which records a prune removes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PruneKind {
    /// Records past their purge time.
    Expired,
    /// Terminal records of some age.
    Finished,
    /// All records.
    Everything,
}

/// The state of a job, in the terms of a history.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Waits for its first attempt, or was given back.
    #[default]
    Queued,
    /// Is leased.
    Processing,
    /// Waits after a failure or a lapse.
    Failing,
    /// Succeeded.
    Completed,
    /// Failed for good.
    Failed,
    /// Was cancelled.
    Cancelled,
}

impl Status {
    /// Whether the life has ended.
    pub const fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

impl Ask {
    /// Whether no argument was recorded.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
