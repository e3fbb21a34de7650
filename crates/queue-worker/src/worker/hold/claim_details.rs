//! What a claim says about a job, beside its record.

use super::ClockReading;
use crate::worker::rate::Reservation;

/// What is known of a job from its claim, beside what the store answered.
#[derive(Debug)]
pub(in crate::worker) struct ClaimDetails {
    /// See [`WorkerRun::queues`](crate::worker::run::WorkerRun::queues).
    pub(in crate::worker) queue_index: usize,
    /// The start that was reserved for the job, if its queue has a rate limit.
    pub(in crate::worker) start: Option<Reservation>,
    /// The store's time, from the answer to the claim.
    pub(in crate::worker) reading: ClockReading,
}
