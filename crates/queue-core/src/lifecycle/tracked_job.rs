//! A job with the data that only its store knows.

use crate::{JobMeta, LeaseToken, lifecycle::Settle};

/// A job with the data that only its store knows: the token of its lease, and how its last lease
/// was settled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrackedJob {
    /// The public part.
    pub meta: JobMeta,
    /// The token of the present lease.
    pub token: Option<LeaseToken>,
    /// The last settle, remembered until the next claim, so that a settle sent twice is answered
    /// twice.
    pub last_settle: Option<LastSettle>,
}

/// The claim that settled the last lease, and the event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastSettle {
    /// The token of the lease that was settled.
    pub token: LeaseToken,
    /// The event.
    pub settle: Settle,
}

impl TrackedJob {
    /// A job that was not claimed yet.
    pub fn new(meta: JobMeta) -> Self {
        Self { meta, token: None, last_settle: None }
    }
}
