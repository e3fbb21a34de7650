//! A batch, as JSON.

use crate::words::share;
use serde::Serialize;

/// A batch as JSON: what `queue batch ls` and `queue batch show` answer with `--json`, and the
/// service.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Batch))]
pub struct BatchView {
    /// Its name.
    pub batch: String,
    /// The number of this life of the name, which is in the ids of its members.
    pub seq: u64,
    /// `open`, `sealed`, `cancelling`, `ended` or `abandoned`.
    pub state: &'static str,
    /// Members that were added.
    pub added: u64,
    /// Members that completed.
    pub completed: u64,
    /// Members that failed.
    pub failed: u64,
    /// Members that were cancelled or deleted, or expired.
    pub cancelled: u64,
    /// Members that have not ended; if it timed out, as many as had not ended then.
    pub waiting: u64,
    /// No more members come from outside.
    pub is_sealed: bool,
    /// It ended at its time-out.
    pub timed_out: bool,
    /// It was cancelled.
    pub was_cancelled: bool,
    /// When it was opened, in milliseconds since 1970.
    pub opened_at_ms: i64,
    /// When the callback for the first failure was enqueued.
    pub first_failure_at_ms: Option<i64>,
    /// When it ended and its callbacks were enqueued.
    pub ended_at_ms: Option<i64>,
    /// How long after its opening it ends at the latest.
    pub timeout_ms: i64,
    /// How long its members are kept after the end.
    pub keep_ms: i64,
    /// Its callbacks.
    pub callbacks: Vec<BatchCallbackView>,
}

impl BatchView {
    /// The state, and for a batch that was ended before its members by what.
    pub const fn state_words(&self) -> &'static str {
        match (self.ended_at_ms, self.timed_out, self.was_cancelled) {
            (Some(_), true, _) => "ended, timed out",
            (Some(_), _, true) => "ended, cancelled",
            _ => self.state,
        }
    }

    /// How many members have ended.
    pub const fn ended(&self) -> u64 {
        self.added.saturating_sub(self.waiting)
    }

    /// How many of the members have ended, as a share such as `45 %`; `0 %` of none. It is rounded
    /// down, so that only all of them are `100 %`.
    pub fn progress(&self) -> String {
        share(self.ended(), self.added).unwrap_or_else(|| "0 %".to_owned())
    }
}

/// A callback of a batch, without what its producer gave it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = BatchCallback))]
pub struct BatchCallbackView {
    /// `end`, `success`, `failure` or `first-failure`.
    pub on: &'static str,
    /// Its kind.
    pub kind: String,
    /// Its queue, unless it is that of the batch.
    pub queue: Option<String>,
}

/// A batch that this program cannot read, and another may: a newer version wrote it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = UnreadableBatch))]
pub struct UnreadableBatchView {
    /// Its name.
    pub batch: String,
    /// The state of the job that the batch is.
    pub state: &'static str,
    /// Why it cannot be read.
    pub error: String,
}
