//! A batch, as JSON.

use crate::{ErrorView, words::share};
use queue_core::{Failure, JobMeta, Timestamp};
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
    /// Until when its members were counted, if that ended before they had all ended: at its
    /// time-out, or when it was abandoned. `null` otherwise.
    pub counted_until_ms: Option<i64>,
    /// How long after its opening it ends at the latest.
    pub timeout_ms: i64,
    /// When it ends at the latest; `null` once it is over.
    pub timeout_at_ms: Option<i64>,
    /// How long its members are kept after the end; if it was abandoned, after their sweep.
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
    /// The id of its job, once that was enqueued.
    pub id: Option<String>,
}

/// A batch with the members that are worth a look, as JSON: all that `queue batch show --json`
/// answers.
#[derive(Clone, Debug, Serialize)]
pub struct BatchDetailsView<'a> {
    /// The batch.
    #[serde(flatten)]
    pub batch: BatchView,
    /// The member that runs longest; absent if none runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oldest: Option<OldestMemberView<'a>>,
    /// The last errors, the newest first.
    pub errors: Vec<BatchErrorView<'a>>,
    /// The members that failed and wait for another try; absent if none does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retrying: Option<RetryingView<'a>>,
    /// Whether a worker claims jobs of its queue; absent once it is over, and if the store keeps no
    /// workers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub has_worker: Option<bool>,
}

impl BatchDetailsView<'_> {
    /// Why the batch stands still, if it does.
    pub fn standstill(&self) -> Option<&'static str> {
        let lacks_worker = self.has_worker == Some(false);
        lacks_worker.then_some("no worker works on this queue, so the batch stands still")
    }
}

/// Members of a batch that failed, or whose worker died, and that wait for another try.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct RetryingView<'a> {
    /// How many were read.
    pub members: usize,
    /// There are more than were read.
    pub has_more: bool,
    /// The newest error of one; absent if none was read that has an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<BatchErrorView<'a>>,
}

impl RetryingView<'_> {
    /// How many there are, such as `7`, or `100+` if not all were counted.
    pub fn count(&self) -> String {
        format!("{}{}", self.members, if self.has_more { "+" } else { "" })
    }
}

/// The member of a batch that runs longest. Its fields have the names that they have in the JSON of
/// a job.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct OldestMemberView<'a> {
    id: &'a str,
    claimed_at_ms: Option<i64>,
}

/// The error of a failed member of a batch. Its fields have the names that they have in the JSON of
/// a job.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct BatchErrorView<'a> {
    id: &'a str,
    failed_at_ms: Option<i64>,
    error: ErrorView<'a>,
}

impl<'a> OldestMemberView<'a> {
    /// A member that runs.
    pub fn of(job: &'a JobMeta) -> Self {
        Self { id: job.id.as_str(), claimed_at_ms: job.claimed_at.map(Timestamp::as_millis) }
    }
}

impl<'a> BatchErrorView<'a> {
    /// A failed member, and its last error.
    pub fn of(job: &'a JobMeta, error: &'a Failure) -> Self {
        let failed_at_ms = job.failed_at.map(Timestamp::as_millis);
        Self { id: job.id.as_str(), failed_at_ms, error: error.into() }
    }
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
