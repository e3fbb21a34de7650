//! The job that all queues carry.

use serde::{Deserialize, Serialize};

/// What a job takes as JSON, without the digits of its number.
pub const JOB_BYTES: usize = 100;

/// A short message, with a number that no other job of the measurement has.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Job {
    pub n: u64,
    pub to: String,
    pub subject: String,
    pub body: String,
}

impl Job {
    pub fn new(n: u64) -> Self {
        Self { n, to: "user@example.com".into(), subject: "Welcome".into(), body: "x".repeat(36) }
    }
}

#[cfg(test)]
mod tests {
    use super::{JOB_BYTES, Job};

    #[test]
    fn a_job_has_about_a_hundred_bytes() {
        let bytes = serde_json::to_vec(&Job::new(12_345)).expect("a job is JSON").len();
        assert!(bytes.abs_diff(JOB_BYTES) <= 5, "{bytes}");
    }
}
