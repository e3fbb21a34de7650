//! How far an operation has come, as it is stored beside its job.

use super::SpecError;
use queue_core::{Cursor, JobId, JobMeta};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// The outcomes for the jobs that an operation has met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperationCounts {
    /// Jobs that were changed.
    pub done: u64,
    /// Jobs whose record was removed after they were met, and jobs whose id names another job
    /// since. A delete that is taken over counts a missing record as done: that is what was asked
    /// for.
    pub gone: u64,
    /// Jobs that were left as they were: they had moved since they were met, or had nothing to
    /// change.
    pub skipped: u64,
    /// Jobs whose change the store refused; the progress has the first error.
    pub failed: u64,
}

impl OperationCounts {
    /// How many jobs the operation has met and is through with.
    pub const fn met(&self) -> u64 {
        self.done + self.gone + self.skipped + self.failed
    }
}

/// How far an operation has come; stored as the progress of its job.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OperationProgress {
    /// The outcomes for the jobs of all pages but the present one.
    #[serde(flatten)]
    pub counts: OperationCounts,
    /// The present page: the jobs whose changes are being sent.
    #[serde(default, skip_serializing_if = "VecDeque::is_empty")]
    pub(super) in_flight: VecDeque<SeenJob>,
    /// Where the next page begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) after: Option<String>,
    /// There is no further page.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) is_at_end: bool,
    /// The operation met as many jobs as it may, and there may be more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_cut: bool,
    /// The first error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A job as it was when its page was read: id, life and revision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SeenJob(String, pub(super) u64, pub(super) u64);

impl SeenJob {
    pub(super) fn of(job: &JobMeta) -> Self {
        Self(job.id.as_str().to_owned(), job.seq.get(), job.revision)
    }

    /// The id; `None` if it is none, which this library does not write.
    pub(super) fn id(&self) -> Option<JobId> {
        JobId::new(&self.0).ok()
    }
}

impl OperationProgress {
    /// Reads what a runner stored.
    ///
    /// # Errors
    /// [`SpecError::UnreadableHere`]: another version may have written it.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SpecError> {
        serde_json::from_slice(bytes).map_err(|error| SpecError::UnreadableHere { reason: error.to_string() })
    }

    /// How many jobs a page has whose changes may have been sent, so that they are in no count yet.
    pub fn in_flight(&self) -> u64 {
        self.in_flight.len() as u64
    }

    /// The stored form.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("texts and numbers are JSON")
    }

    pub(super) fn cursor(&self) -> Option<Cursor> {
        self.after.clone().map(Cursor)
    }
}
