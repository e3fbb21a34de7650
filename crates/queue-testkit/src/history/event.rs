//! The events of a history: their fields, phases and operations.

use crate::history::{Answer, Ask, RecordView};
use serde::{Deserialize, Serialize};

/// One line of a history: that something was asked of the store, or what came of it.
///
/// A call of several items (an enqueue of three jobs) is several invokes and several ends with one
/// `call` and an `item` each. An item may end in several answers: a claim in one per job.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Event {
    /// Its place in the history: a call that ended before another began has the lower number.
    pub index: u64,
    /// The recorder's monotonic clock, in nanoseconds.
    pub time_mono: u64,
    /// The store's time, from the answer, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_store: Option<i64>,
    /// Who asked. A process whose call has an unknown outcome gets a new number.
    pub process: u64,
    /// Which call.
    pub call: u64,
    /// Which item of the call.
    pub item: u32,
    /// Begin or end.
    pub phase: Phase,
    /// What was asked.
    pub op: Op,
    /// Of which queue.
    pub queue: String,
    /// About which job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// About which life of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// Under which lease: a digest, so that a history holds no secrets.
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
    /// What was answered, in the phase Ok.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
    /// The record as the answer showed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seen: Option<RecordView>,
}

/// Where a call stands. One without an end was never answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// It began.
    #[default]
    Invoke,
    /// It was answered.
    Ok,
    /// It certainly had no effect.
    Fail,
    /// Nobody knows, now or later.
    Info,
}

/// What was asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Op {
    /// To store a job.
    #[default]
    Enqueue,
    /// To store a job in the same step as a settle; no answer says whether its id was free.
    Then,
    /// To lease jobs.
    Claim,
    /// To settle a lease: done.
    Complete,
    /// To settle a lease: failed.
    Fail,
    /// To settle a lease: given back.
    Release,
    /// To settle a lease: given back for later.
    Snooze,
    /// To prolong a lease.
    Extend,
    /// To settle a lease: not started in time.
    Expire,
    /// To end a lapsed lease.
    Lapse,
    /// To cancel a waiting job.
    Cancel,
    /// To mark a running job for cancelling.
    RequestCancel,
    /// To mark a job as awaited.
    Await,
    /// To move the purge time.
    Retain,
    /// To run an ended job again.
    Redrive,
    /// To make a waiting job due.
    Promote,
    /// To put a waiting job to another time.
    Reschedule,
    /// To remove a record.
    Delete,
    /// To remove many records.
    Prune,
    /// To read a record by its id.
    Read,
    /// To read records page by page.
    List,
    /// To count records by state.
    Count,
    /// To stop claims.
    Pause,
    /// To let claims go on.
    Resume,
    /// To cross-check the store.
    Verify,
    /// To wait for the outcome of a job.
    Wait,
    /// To commit the transaction named in [`Ask::tx`].
    Commit,
    /// To undo the transaction named in [`Ask::tx`].
    Rollback,
    /// To open the store again, after a crash or a close.
    Reopen,
    /// To shut a worker down.
    Shutdown,
    /// A worker stands still between begin and end, by the will of the test.
    Stall,
    /// The faults are healed and every job was worked off.
    Drain,
    /// A handler began.
    ExecStart,
    /// A handler did its outside work.
    Effect,
    /// A handler ended.
    ExecEnd,
}

impl Op {
    /// Whether it ends a lease under its token.
    pub const fn is_settle(self) -> bool {
        matches!(self, Self::Complete | Self::Fail | Self::Release | Self::Snooze | Self::Expire)
    }
}
