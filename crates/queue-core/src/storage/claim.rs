//! The request to lease due jobs, and its answer.

use crate::{
    JobRecord, Kind, LeaseToken, Moment, Pause, PausedKind, QueueName, Rng, Span, Timestamp, WorkerId,
};

/// A request for due jobs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimRequest {
    /// The queue to claim from.
    pub queue: QueueName,
    /// The worker that will hold the leases.
    pub worker: WorkerId,
    /// The most jobs to lease; with 0 the claim asks only when the next job will be due.
    pub limit: usize,
    /// How long the leases last from now.
    pub lease: Span,
    /// The token of the leases, drawn for this call alone: a claim is never sent again. A caller
    /// that does not receive the answer finds the leased jobs by [`Walk::Held`](crate::Walk::Held).
    pub token: LeaseToken,
    /// The most bytes of payloads in the answer, but at least one job; if a job does not fit,
    /// `next_due` is now. See [`AnswerRoom`](crate::AnswerRoom). The other parts of a job are
    /// headers, and parts of at most 16 KiB each.
    pub bytes_max: usize,
    /// Until when the sender waits for the answer, in store time. A store that begins the claim
    /// later leases nothing and answers that `next_due` is now. `None`: the sender does not know
    /// the store's time yet.
    pub not_after: Option<Timestamp>,
    /// Of [`limit`](Self::limit), the most jobs of partitions with a
    /// [`running`](crate::Limit::running) limit, whose slots they take; `usize::MAX` if only the
    /// limits of the partitions count. A job that waits in a worker holds its slot too, so a worker
    /// asks for no more of them than it can begin.
    pub limited_max: usize,
}

impl ClaimRequest {
    /// The default of [`bytes_max`](Self::bytes_max): 16 MiB.
    pub const BYTES_MAX: usize = 16 << 20;

    /// A request with a fresh token.
    pub fn new(queue: QueueName, worker: WorkerId, limit: usize, lease: Span, rng: &dyn Rng) -> Self {
        let token = LeaseToken::random(rng);
        let (bytes_max, limited_max) = (Self::BYTES_MAX, usize::MAX);
        Self { queue, worker, limit, lease, token, bytes_max, not_after: None, limited_max }
    }

    /// How many jobs the claim may still lease: none once its sender has stopped waiting.
    pub fn limit_at(&self, now: Timestamp) -> usize {
        if self.is_late(now) { 0 } else { self.limit }
    }

    /// Whether the sender has stopped waiting.
    pub fn is_late(&self, now: Timestamp) -> bool {
        self.not_after.is_some_and(|at| now > at)
    }
}

/// The answer to a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claimed {
    /// The leased jobs, in the order in which they should run.
    pub jobs: Vec<ClaimedJob>,
    /// When the next job can be claimed at the earliest: the earliest due time or lapse in the
    /// queue. `None`: only after an enqueue.
    ///
    /// A paused queue answers what it would answer without the pause: `None` says that no job waits
    /// and none is leased. A time promises no job before the end of [`pause`](Self::pause); see
    /// [`free_at`](Self::free_at). Jobs that were set aside because their kind is paused count from
    /// the end of that pause, and not at all if it has no end.
    pub next_due: Option<Timestamp>,
    /// The pause of the queue at this moment. While it is on there are no jobs.
    pub pause: Pause,
    /// The kinds that are paused at this moment, of which there are no jobs; in the order of their
    /// names.
    pub paused_kinds: Vec<PausedKind>,
    /// How many jobs of paused kinds the claim set aside. A claim that got no job because there
    /// were too many of them answers more than 0 here, and that the next is due now.
    pub set_aside: usize,
    /// Whether the answer has fewer jobs than it may because
    /// [`limited_max`](ClaimRequest::limited_max) kept some back. `next_due` is then now.
    pub kept_back: bool,
    /// The store's time.
    pub now: Timestamp,
    /// The reading of the store's clock.
    pub clock: Timestamp,
}

impl Claimed {
    /// An answer without jobs.
    pub const fn none(next_due: Option<Timestamp>, moment: Moment) -> Self {
        Self {
            jobs: Vec::new(),
            next_due,
            pause: Pause::Off,
            paused_kinds: Vec::new(),
            set_aside: 0,
            kept_back: false,
            now: moment.now,
            clock: moment.clock,
        }
    }

    /// When a claim may get the next job: [`next_due`](Self::next_due), but not before the pause is
    /// over. `None`: only after an enqueue or a resume.
    pub fn free_at(&self) -> Option<Timestamp> {
        match self.pause {
            Pause::Off => self.next_due,
            Pause::Until(at) => self.next_due.map(|due| due.max(at)),
            Pause::UntilResumed => None,
        }
    }

    /// Whether jobs of this kind were not to be claimed at this moment.
    pub fn pauses(&self, kind: &Kind) -> bool {
        self.pause.is_on() || self.paused_kinds.iter().any(|paused| paused.kind == *kind)
    }
}

/// A leased job, with the token that proves it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedJob {
    /// The job with its body.
    pub record: JobRecord,
    /// The token to settle the job with.
    pub token: LeaseToken,
}
