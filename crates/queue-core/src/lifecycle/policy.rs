//! The settings of a caller for its decisions.

use crate::{JobMeta, RetryPolicy};

/// The settings of a caller for its decisions. Stores never see them.
///
/// ```
/// use queue_core::{RetryPolicy, lifecycle::{Policy, Unhandled}};
/// use std::time::Duration;
///
/// let policy = Policy::default()
///     .retry(RetryPolicy::exponential(Duration::from_secs(5)).cap(Duration::from_secs(3600)))
///     .undecodable(Unhandled::Retry);
/// assert!(policy.retry.delay(1, 0).is_some());
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Policy {
    /// How long a failed job waits.
    pub retry: RetryPolicy,
    /// How long a job waits whose lease lapsed more than once. After the first lapse the job keeps
    /// its place, since most workers that crash do so for other reasons than this job. A policy
    /// that returns no wait does not end the job here: the job keeps its place, and only the stall
    /// budget decides when it is Failed.
    pub stall: RetryPolicy,
    /// What a missing handler means. Default [`Retry`](Unhandled::Retry), since handlers are
    /// missing in the middle of every deployment.
    pub unknown_kind: Unhandled,
    /// What an undecodable payload means. Default [`Fail`](Unhandled::Fail), since a stored payload
    /// does not change by waiting.
    pub undecodable: Unhandled,
}

impl Policy {
    /// Sets how long a failed job waits.
    #[must_use]
    pub fn retry(mut self, retry: impl Into<RetryPolicy>) -> Self {
        self.retry = retry.into();
        self
    }

    /// Sets how long a job waits whose lease lapsed more than once.
    #[must_use]
    pub fn stall(mut self, stall: impl Into<RetryPolicy>) -> Self {
        self.stall = stall.into();
        self
    }

    /// Sets what a missing handler means.
    #[must_use]
    pub fn unknown_kind(mut self, unhandled: Unhandled) -> Self {
        self.unknown_kind = unhandled;
        self
    }

    /// Sets what an undecodable payload means.
    #[must_use]
    pub fn undecodable(mut self, unhandled: Unhandled) -> Self {
        self.undecodable = unhandled;
        self
    }
}

/// What happens to a job that a worker cannot handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unhandled {
    /// The job becomes Failed, with the reason recorded.
    Fail,
    /// The attempt failed like any other, since a newer worker may follow.
    Retry,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            retry: RetryPolicy::default(),
            stall: RetryPolicy::default(),
            unknown_kind: Unhandled::Retry,
            undecodable: Unhandled::Fail,
        }
    }
}

/// The source of a decision's jitter. It depends only on the life, the claim and the charges, so
/// that a decision made twice is the same, and it is spread over jobs. The mixing step is
/// Sebastiano Vigna's `SplitMix64`.
pub(super) fn roll(job: &JobMeta) -> u64 {
    let charges = job.epoch ^ (u64::from(job.failures) << 32) ^ (u64::from(job.stalls) << 48);
    let mut mixed = job.seq.get().wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ charges;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::roll;
    use crate::{ContentType, JobId, JobMeta, Kind, NewJob, Payload, QueueName, Seq, Timestamp};
    use std::collections::BTreeSet;

    fn job(seq: u64) -> JobMeta {
        let payload = Payload::new("", ContentType::from_static("x/y"));
        let new = NewJob::new(JobId::from_static("a"), Kind::unnamed(), payload);
        JobMeta::begin(QueueName::from_static("q"), &new, Seq::new(seq), Timestamp::default())
    }

    #[test]
    fn the_same_decision_rolls_the_same_and_every_other_another_number() {
        let mut rolls = BTreeSet::new();
        for seq in 0..10 {
            for epoch in 0..10 {
                for (failures, stalls) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                    let meta = JobMeta { epoch, failures, stalls, ..job(seq) };
                    let heartbeat = JobMeta { revision: 99, ..meta.clone() };
                    assert_eq!(roll(&meta), roll(&heartbeat), "a decision made twice is the same");
                    rolls.insert(roll(&meta));
                }
            }
        }
        assert_eq!(rolls.len(), 400);
    }
}
