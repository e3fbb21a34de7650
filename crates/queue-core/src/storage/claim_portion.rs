//! Bounds how much a claim asks for, after answers that were lost.

use crate::ClaimRequest;

/// The smallest bound of a claim's payloads, in bytes; a single job may be larger.
const BYTES_MIN: usize = 64 << 10;

/// How much a claim of a queue may bring: half as much after an answer that was lost, since it may
/// have been too large for the connection, and twice as much after an answer that came, up to the
/// default of a request.
///
/// ```
/// use queue_core::{ClaimPortion, ClaimRequest};
///
/// let mut portion = ClaimPortion::default();
/// portion.halve(100);
/// assert_eq!((portion.jobs(), portion.bytes()), (50, ClaimRequest::BYTES_MAX / 2));
/// (0..100).for_each(|_| portion.halve(100));
/// assert_eq!((portion.jobs(), portion.bytes()), (1, 64 << 10));
/// (0..100).for_each(|_| portion.double());
/// assert_eq!(portion, ClaimPortion::default());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClaimPortion {
    jobs: usize,
    bytes: usize,
}

impl Default for ClaimPortion {
    fn default() -> Self {
        Self { jobs: usize::MAX, bytes: ClaimRequest::BYTES_MAX }
    }
}

impl ClaimPortion {
    /// The most jobs that a claim may bring; at least one.
    pub const fn jobs(&self) -> usize {
        self.jobs
    }

    /// The most bytes of payloads that a claim may bring; at least 64 KiB.
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Notes that the answer to a claim for `jobs` jobs was lost.
    pub fn halve(&mut self, jobs: usize) {
        self.jobs = (self.jobs.min(jobs) / 2).max(1);
        self.bytes = (self.bytes / 2).max(BYTES_MIN);
    }

    /// Notes that the answer to a claim came, with jobs.
    pub fn double(&mut self) {
        self.jobs = self.jobs.saturating_mul(2);
        self.bytes = self.bytes.saturating_mul(2).min(ClaimRequest::BYTES_MAX);
    }
}
