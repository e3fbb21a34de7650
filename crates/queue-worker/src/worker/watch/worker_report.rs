//! What one run of a worker did.

use queue_core::Error;

/// What a worker did in one run.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct WorkerReport {
    /// What ended the run, if it was not asked to end: the store is closed for good and answers
    /// nothing any more.
    pub error: Option<Error>,
    /// Handlers started.
    pub started: u64,
    /// Jobs completed.
    pub completed: u64,
    /// Attempts that failed and will be followed by another.
    pub failing: u64,
    /// Jobs that failed for good.
    pub failed: u64,
    /// Jobs given back uncharged.
    pub released: u64,
    /// Jobs cancelled while they ran here, and jobs that could not start in time.
    pub cancelled: u64,
    /// Lapsed leases of other workers that this one ended.
    pub rescued: u64,
    /// Outcomes that no longer counted.
    pub leases_lost: u64,
    /// Settles given up, at the shutdown deadline or because the store would not take them, and
    /// blocking handlers that still ran then.
    pub abandoned: u64,
}
