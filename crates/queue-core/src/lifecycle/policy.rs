use crate::{JobMeta, RetryPolicy};

/// The caller's part of a decision; stores never see it.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    /// How long a failed job waits.
    pub retry: RetryPolicy,
    /// How long a job waits whose lease lapsed more than once. After the first lapse it keeps its place, since most
    /// lapses are crashes of an innocent job's worker.
    pub stall: RetryPolicy,
    /// What a missing handler means.
    pub unknown_kind: Unhandled,
    /// What an undecodable payload means.
    pub undecodable: Unhandled,
}

/// What happens to a job that a worker cannot handle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Unhandled {
    /// It becomes Failed, with the reason recorded.
    #[default]
    Fail,
    /// It counts as a failed attempt, for deployments in which a newer worker may follow.
    Retry,
}

/// Where the jitter of one decision comes from: fixed by the life, the claim and the charges, so that a decision made
/// twice is the same, and spread over jobs. The mixing step is Sebastiano Vigna's `SplitMix64`.
pub(super) fn roll(job: &JobMeta) -> u64 {
    let charges = u64::from(job.epoch) ^ (u64::from(job.failures) << 32) ^ (u64::from(job.stalls) << 48);
    let mut mixed = job.seq.get().wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ charges;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}
