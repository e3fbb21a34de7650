use crate::{JobRecord, LeaseToken, QueueName, Rng, Span, Timestamp, WorkerId};

/// A request for due jobs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimRequest {
    /// From which queue.
    pub queue: QueueName,
    /// Who will hold the leases.
    pub worker: WorkerId,
    /// At most this many; 0 asks only when there will be something.
    pub limit: usize,
    /// The leases lapse this long from now.
    pub lease: Span,
    /// The proof of holding them, for this call alone.
    pub token: LeaseToken,
}

impl ClaimRequest {
    /// A request with a fresh token.
    pub fn new(queue: QueueName, worker: WorkerId, limit: usize, lease: Span, rng: &dyn Rng) -> Self {
        Self { queue, worker, limit, lease, token: LeaseToken::random(rng) }
    }
}

/// The answer to a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claimed {
    /// The jobs, in the order in which they are to run.
    pub jobs: Vec<ClaimedJob>,
    /// No job can be had before this: the earliest due time or lapse in the queue. `None`: only an enqueue brings one.
    pub next_due: Option<Timestamp>,
    /// The queue is paused, so there are no jobs.
    pub paused: bool,
    /// The store's time.
    pub now: Timestamp,
}

/// A job and the proof that it is held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedJob {
    /// The job with its body.
    pub record: JobRecord,
    /// For settling it.
    pub token: LeaseToken,
}
