//! The events of a history: their fields, phases and operations.

use crate::history::{Answer, Ask, RecordView};
use serde::{Deserialize, Serialize};

/// One line of a history: the begin or the end of a call.
///
/// A call with several items (an enqueue of three jobs) is recorded as several begins and ends with
/// one `call`, each with its own `item`. An item may have several answers: a claim has one per job.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Event {
    /// Its position in the history: a call that ended before another began has the lower number.
    pub index: u64,
    /// The time of the recorder's monotonic clock, in nanoseconds.
    pub time_mono: u64,
    /// The store's time in the answer, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_store: Option<i64>,
    /// The process that called. A process whose call has an unknown outcome continues under a new
    /// number.
    pub process: u64,
    /// The call.
    pub call: u64,
    /// The item of the call.
    pub item: u32,
    /// The phase of the call.
    pub phase: Phase,
    /// The operation.
    pub op: Op,
    /// The queue.
    pub queue: String,
    /// The id of the job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The life of the job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// A digest of the lease token, so that a history holds no secrets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<u64>,
    /// The number of the attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    /// A digest of the payload.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<u64>,
    /// A digest of the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<u64>,
    /// The arguments.
    #[serde(skip_serializing_if = "Ask::is_empty")]
    pub ask: Ask,
    /// The answer, in the phase Ok.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
    /// The record as the answer showed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seen: Option<RecordView>,
}

/// The phase of a call. A call without an end was never answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The call began.
    #[default]
    Invoke,
    /// The call was answered.
    Ok,
    /// The call certainly had no effect.
    Fail,
    /// The outcome is unknown, and stays so.
    Info,
}

/// The operation of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Op {
    /// Store a job.
    #[default]
    Enqueue,
    /// Store a job in the same step as a settle; no answer says whether its id was free.
    Then,
    /// Lease jobs.
    Claim,
    /// Settle a lease: completed.
    Complete,
    /// Settle a lease: failed.
    Fail,
    /// Settle a lease: given back.
    Release,
    /// Settle a lease: put off.
    Snooze,
    /// Extend a lease.
    Extend,
    /// Settle a lease: it waits behind its gate.
    Suspend,
    /// Settle a lease: not started in time.
    Expire,
    /// End a lapsed lease.
    Lapse,
    /// Cancel a waiting job.
    Cancel,
    /// Mark a running job for cancelling.
    RequestCancel,
    /// Mark a job as awaited.
    Await,
    /// Move the purge time.
    Retain,
    /// Run an ended job again.
    Redrive,
    /// Make a waiting job due.
    Promote,
    /// Move a waiting job to another time.
    Reschedule,
    /// Change a waiting job in place.
    Amend,
    /// Seal the gate of an unfinished job.
    Seal,
    /// Remove a record.
    Delete,
    /// Remove many records.
    Prune,
    /// Read a record by its id.
    Read,
    /// Read records page by page.
    List,
    /// Count records by state.
    Count,
    /// Set limits of partitions.
    SetLimits,
    /// Stop claims.
    Pause,
    /// Resume claims.
    Resume,
    /// Cross-check the store.
    Verify,
    /// Wait for the outcome of a job.
    Wait,
    /// Commit the transaction named in [`Ask::tx`].
    Commit,
    /// Undo the transaction named in [`Ask::tx`].
    Rollback,
    /// Open the store again, after a crash or a close.
    Reopen,
    /// Shut a worker down.
    Shutdown,
    /// A worker that the test holds still from begin to end.
    Stall,
    /// The end of all faults; every job has been worked off.
    Drain,
    /// The begin of a handler.
    ExecStart,
    /// The effect of a handler outside the store.
    Effect,
    /// The end of a handler.
    ExecEnd,
}

impl Op {
    /// Whether the operation ends a lease under its token.
    pub const fn is_settle(self) -> bool {
        matches!(
            self,
            Self::Complete | Self::Fail | Self::Release | Self::Snooze | Self::Suspend | Self::Expire
        )
    }
}
