use crate::{JobRecord, LeaseToken, Moment, QueueName, Rng, Span, Timestamp, WorkerId};

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
    /// The proof of holding them, for this call alone: a claim is never sent again. Whoever does not hear its answer
    /// finds what it leased by [`Walk::Held`](crate::Walk::Held).
    pub token: LeaseToken,
    /// At most this many bytes of payloads, but at least one job; then `next_due` is now. See
    /// [`AnswerRoom`](crate::AnswerRoom). What else a job carries is at most 16 KiB each, and headers.
    pub bytes_max: usize,
    /// Until when the sender listens for the answer, in store time; a store that comes to it later leases nothing and
    /// answers that `next_due` is now. `None`: the sender does not know the store's time yet.
    pub not_after: Option<Timestamp>,
}

impl ClaimRequest {
    /// The default of [`bytes_max`](Self::bytes_max): 16 MiB.
    pub const BYTES_MAX: usize = 16 << 20;

    /// A request with a fresh token.
    pub fn new(queue: QueueName, worker: WorkerId, limit: usize, lease: Span, rng: &dyn Rng) -> Self {
        let token = LeaseToken::random(rng);
        Self { queue, worker, limit, lease, token, bytes_max: Self::BYTES_MAX, not_after: None }
    }

    /// How many jobs it may still lease: none once its sender has stopped listening.
    pub fn limit_at(&self, now: Timestamp) -> usize {
        if self.is_late(now) { 0 } else { self.limit }
    }

    /// Its sender does not listen any more.
    pub fn is_late(&self, now: Timestamp) -> bool {
        self.not_after.is_some_and(|at| now > at)
    }
}

/// The answer to a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claimed {
    /// The jobs, in the order in which they are to run.
    pub jobs: Vec<ClaimedJob>,
    /// No job can be had before this: the earliest due time or lapse in the queue. `None`: only an enqueue brings one.
    ///
    /// A paused queue answers what it would if it were not paused: `None` says that nothing waits
    /// and nothing is held, and a time that has come is no promise of a job while
    /// [`paused`](Self::paused) is set.
    pub next_due: Option<Timestamp>,
    /// The queue is paused, so there are no jobs.
    pub paused: bool,
    /// The store's time.
    pub now: Timestamp,
    /// What its clock says.
    pub clock: Timestamp,
}

impl Claimed {
    /// No jobs.
    pub const fn none(next_due: Option<Timestamp>, moment: Moment) -> Self {
        Self { jobs: Vec::new(), next_due, paused: false, now: moment.now, clock: moment.clock }
    }
}

/// A job and the proof that it is held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedJob {
    /// The job with its body.
    pub record: JobRecord,
    /// For settling it.
    pub token: LeaseToken,
}
