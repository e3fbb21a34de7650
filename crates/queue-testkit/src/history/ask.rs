//! Arguments of calls, as a history keeps them.

use serde::{Deserialize, Serialize};

/// The arguments of a call, those of them that a verdict can depend on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Ask {
    /// Enqueue: which group of the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<u32>,
    /// Enqueue: not due before this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay_ms: Option<i64>,
    /// Enqueue: lower goes first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<i16>,
    /// Enqueue: a Failed record of the id makes room.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaces_failed: Option<bool>,
    /// Enqueue: a waiting job of the id makes room, if true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaces_waiting: Option<bool>,
    /// Then: the life whose change it follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<u64>,
    /// Claim: at most so many. Shutdown: not used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// Claim, Stall, Shutdown, Exec: which worker.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worker: Option<String>,
    /// Changes by others than the holder: the revision that must still stand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<u64>,
    /// Changes: what is written if the guard holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effect: Option<Effect>,
    /// Prune: which records.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prune: Option<PruneKind>,
    /// Wait: for how long at most, on the monotonic clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline_ns: Option<u64>,
    /// The caller's transaction that this is part of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tx: Option<u64>,
}

/// What a change writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Back among the waiting.
    Requeue,
    /// Into a terminal state, to be purged after this long, or never.
    Finish {
        /// The state.
        status: Status,
        /// The time to live.
        keep_ms: Option<i64>,
    },
    /// Gone.
    Remove,
    /// Another expiry, flag or purge time; the state stays.
    Touch,
}

/// Which records a prune removes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PruneKind {
    /// Those past their purge time.
    Expired,
    /// Terminal ones of some age.
    Finished,
    /// All.
    Everything,
}

/// Where a job stands, in words of the history's own.
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
    /// Ended well.
    Completed,
    /// Ended badly.
    Failed,
    /// Was taken back.
    Cancelled,
}

impl Status {
    /// Ended.
    pub const fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

impl Ask {
    /// Nothing that a verdict depends on was asked.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
