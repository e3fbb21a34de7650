use super::lost::Lost;
use crate::worker::{
    HeldJob, heartbeat, held_job::Room, held_jobs::HeldJobs, rate::Reservation, shared::Shared, told::Told,
    trace, work_queue::WorkedQueue,
};
use queue_core::{
    Certainty, ClaimRequest, Claimed, ClaimedJob, Error, ErrorKind, LostClaim, Result, Span, Timestamp,
};
use std::{collections::VecDeque, sync::Arc, time::Duration};
use tokio::time::{Instant, timeout};
use tracing::Instrument as _;

/// How much longer than for a call its answer is waited for, so that a store can say itself that it has none.
const ANSWER_MAX: Duration = Duration::from_secs(1);

/// One claim, with the starts that its jobs are to have.
pub(super) struct Ask {
    /// Which queue, by its place among the worker's.
    pub(super) lane: usize,
    pub(super) queue: Arc<WorkedQueue>,
    /// How many jobs are asked for; none asks only whether there are any.
    pub(super) limit: usize,
    /// As many, where a rate limit holds.
    pub(super) starts: Option<Reservation>,
    /// As [`ClaimRequest::bytes_max`].
    pub(super) bytes_max: usize,
    /// The store's time, as far as it is known.
    pub(super) now: Option<Timestamp>,
}

/// What a claim brought.
pub(super) struct Answered {
    pub(super) lane: usize,
    pub(super) limit: usize,
    /// How many jobs the store gave, usable or not.
    pub(super) got: usize,
    /// Held, in claim order.
    pub(super) jobs: VecDeque<Arc<HeldJob>>,
    /// The answer without its jobs.
    pub(super) answer: Result<Claimed>,
    /// The claim, if its answer was lost.
    pub(super) lost: Option<Lost>,
}

impl Ask {
    /// Jobs are held as soon as they are here, so that the heartbeat has them.
    pub(super) async fn send(mut self, shared: Arc<Shared>) -> Answered {
        let (limit, sent_at, listens) = (self.limit, Instant::now(), listens(&shared));
        let request = self.request(&shared, limit, listens);
        let lost = LostClaim::of(&request);
        let span = trace::claim(&self.queue.name, limit);
        let answer = timeout(listens, shared.storage.claim(request)).instrument(span.clone()).await;
        let mut answer = answer.unwrap_or_else(|_elapsed| Err(unanswered()));
        let is_lost = answer.as_ref().is_err_and(|error| error.certainty() == Certainty::Unknown);
        let until = self.now.map(|_| sent_at + listens);
        let lost = is_lost.then(|| Lost::new(&shared, &self.queue.name, lost, until));
        let claimed = answer.as_mut().map(|claimed| std::mem::take(&mut claimed.jobs)).unwrap_or_default();
        let got = claimed.len();
        trace::answered(&span, &answer);
        trace::claimed(&span, got);
        let lapses_at = sent_at + shared.options.lease.as_duration();
        let told = Told::just(answer.as_ref().map_or_else(|_| Timestamp::default(), |claimed| claimed.now));
        let jobs: VecDeque<_> = shared.hold(|held| {
            claimed.into_iter().filter_map(|job| self.hold(held, job, lapses_at, told)).collect()
        });
        if !jobs.is_empty() {
            heartbeat::look_at(&shared, lapses_at);
        }
        for _ in jobs.len()..got {
            shared.report_error_of(&self.queue.name, broken_claim());
        }
        Answered { lane: self.lane, limit, got, jobs, answer, lost }
    }

    /// `None` for what is not to be held.
    fn hold(
        &mut self,
        held: &mut HeldJobs,
        job: ClaimedJob,
        lapses_at: Instant,
        told: Told,
    ) -> Option<Arc<HeldJob>> {
        let room = self.room(told)?;
        held.add(|place| HeldJob::new(place, job, lapses_at, room))
    }

    fn request(&self, shared: &Shared, limit: usize, listens: Duration) -> ClaimRequest {
        let (queue, worker) = (self.queue.name.clone(), shared.name.id.clone());
        let request = ClaimRequest::new(queue, worker, limit, shared.options.lease, &*shared.rng);
        let listens = Span::new("a call", listens).unwrap_or(Span::MAX);
        let not_after = self.now.map(|now| now + listens);
        ClaimRequest { bytes_max: self.bytes_max, not_after, ..request }
    }

    /// What one job takes; `None` for one that nobody asked for.
    fn room(&mut self, told: Told) -> Option<Room> {
        self.limit = self.limit.checked_sub(1)?;
        let start = match &mut self.starts {
            Some(starts) => Some(starts.split_one()?),
            None => None,
        };
        Some(Room { lane: self.lane, start, told })
    }
}

/// For how long an answer is waited for: longer than a store needs to say that it has none, and no longer than leaves a part
/// of the lease for finding what was leased.
fn listens(shared: &Shared) -> Duration {
    let call = shared.storage.capabilities().call_timeout.saturating_add(ANSWER_MAX);
    call.min(shared.options.lease.as_duration() * 2 / 3)
}

fn unanswered() -> Error {
    Error::new(ErrorKind::Unavailable, "claim", "the store did not answer; what it leased is looked for")
        .unknown()
}

fn broken_claim() -> Error {
    let message = "the store claimed a job without its body, or more jobs than asked for; it will lapse";
    Error::new(ErrorKind::Internal, "claim", message)
}
