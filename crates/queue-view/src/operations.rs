//! An operation on many jobs, as JSON.

use serde::Serialize;

/// An operation as JSON: what `queue operations --json`, the commands that change many jobs, and
/// `/v1/operations` answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Operation))]
pub struct OperationView {
    /// The queue of its jobs, a slash, and its name there.
    pub operation: String,
    /// The queue of its jobs.
    pub queue: String,
    /// What it does to each job, such as `cancel`.
    pub action: String,
    /// The state of the job that the operation is.
    pub state: &'static str,
    /// Jobs that were changed.
    pub done: u64,
    /// Jobs whose record was removed after they were met.
    pub gone: u64,
    /// Jobs that had moved since they were met, or had nothing to change.
    pub skipped: u64,
    /// Jobs whose change the store refused.
    pub failed: u64,
    /// Jobs that are being changed just now, and are in no count yet.
    pub in_flight: u64,
    /// It ended because it had met as many jobs as it may.
    pub is_cut: bool,
    /// It does nothing any more.
    pub is_over: bool,
    /// The first error that a job, or the operation itself, met.
    pub error: Option<String>,
}

/// An operation that this program cannot read, and another may: a newer version wrote it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = UnreadableOperation))]
pub struct UnreadableOperationView {
    /// Its id.
    pub operation: String,
    /// The state of the job that the operation is.
    pub state: &'static str,
    /// Why it cannot be read.
    pub error: String,
}
