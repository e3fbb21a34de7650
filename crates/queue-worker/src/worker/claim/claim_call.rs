//! One claim: the request, the wait for its answer, and the jobs that it brings.

use super::lost_claim_search::LostClaimSearch;
use crate::worker::{
    hold::{ClaimDetails, ClockReading, HeldJob, HeldJobTable, extend_soon},
    rate::Reservation,
    run::WorkerRun,
    setup::WorkedQueue,
    trace,
};
use queue_core::{
    Certainty, ClaimRequest, Claimed, ClaimedJob, Error, ErrorKind, LostClaim, Result, Span, Timestamp,
};
use std::{collections::VecDeque, sync::Arc, time::Duration};
use tokio::time::{Instant, timeout};
use tracing::Instrument as _;

/// How much longer than for a call the worker waits for the answer, so that a store can say itself
/// that it has none.
const ANSWER_MAX: Duration = Duration::from_secs(1);

/// One claim, with the starts that its jobs are to have.
pub(super) struct ClaimCall {
    pub(super) queue_index: usize,
    pub(super) queue: Arc<WorkedQueue>,
    /// How many jobs are asked for. With none the claim asks only whether there are any.
    pub(super) limit: usize,
    /// As many starts, where a rate limit holds.
    pub(super) starts: Option<Reservation>,
    /// As [`ClaimRequest::limited_max`].
    pub(super) limited_max: usize,
    /// As [`ClaimRequest::bytes_max`].
    pub(super) bytes_max: usize,
    /// The store's time, as far as it is known.
    pub(super) store_time: Option<Timestamp>,
}

/// What a claim brought.
pub(super) struct ClaimAnswer {
    pub(super) queue_index: usize,
    pub(super) limit: usize,
    /// How many jobs the store gave, usable or not.
    pub(super) got: usize,
    /// Held, in claim order.
    pub(super) jobs: VecDeque<Arc<HeldJob>>,
    /// The answer without its jobs.
    pub(super) answer: Result<Claimed>,
    /// The search for what the claim leased, if its answer was lost.
    pub(super) search: Option<LostClaimSearch>,
}

impl ClaimCall {
    /// Sends the claim, and holds its jobs as soon as they are here, so that the heartbeat has
    /// them.
    pub(super) async fn send(mut self, run: Arc<WorkerRun>) -> ClaimAnswer {
        let limit = self.limit;
        let sent_at = Instant::now();
        let answer_max = answer_max(&run);
        let request = self.request(&run, answer_max);
        let lost = LostClaim::of(&request);
        let span = trace::claim(&self.queue.name, limit);
        let answer = timeout(answer_max, run.storage.claim(request)).instrument(span.clone()).await;
        let mut answer = answer.unwrap_or_else(|_elapsed| Err(unanswered()));
        let is_lost = answer.as_ref().is_err_and(|error| error.certainty() == Certainty::Unknown);
        // Without the store's time a claim has no `not_after`, so the store may begin it any time.
        let begun_by = self.store_time.map(|_| sent_at + answer_max);
        let search = is_lost.then(|| LostClaimSearch::new(&run, &self.queue.name, lost, begun_by));
        let claimed = answer.as_mut().map(|claimed| std::mem::take(&mut claimed.jobs)).unwrap_or_default();
        let got = claimed.len();
        trace::answered(&span, &answer);
        trace::claimed(&span, got);
        let store_time = answer.as_ref().map_or_else(|_| Timestamp::default(), |claimed| claimed.now);
        if let Ok(claimed) = &answer {
            run.answers.note([self.queue_index], claimed.now);
        }
        let reading = ClockReading::now(store_time);
        // The store counts the lease from its own step, which comes after the sending, so this end
        // is never late.
        let lapses_at = sent_at + run.options.lease.as_duration();
        let jobs: VecDeque<_> = run.held.add(|held| {
            claimed.into_iter().filter_map(|job| self.hold(held, job, lapses_at, reading)).collect()
        });
        if !jobs.is_empty() {
            extend_soon(&run, lapses_at);
        }
        for _ in jobs.len()..got {
            run.report_error_of(&self.queue.name, broken_claim());
        }
        ClaimAnswer { queue_index: self.queue_index, limit, got, jobs, answer, search }
    }

    /// Adds a job to those that are held; `None` if the store gave it against the contract.
    fn hold(
        &mut self,
        held: &mut HeldJobTable,
        job: ClaimedJob,
        lapses_at: Instant,
        reading: ClockReading,
    ) -> Option<Arc<HeldJob>> {
        let details = self.take_details(reading)?;
        held.add(|slot| HeldJob::new(slot, job, lapses_at, details))
    }

    fn request(&self, run: &WorkerRun, answer_max: Duration) -> ClaimRequest {
        let queue = self.queue.name.clone();
        let request = ClaimRequest::new(queue, run.name.id.clone(), self.limit, run.options.lease, &*run.rng);
        let answer_max = Span::new("a call", answer_max).unwrap_or(Span::MAX);
        let not_after = self.store_time.map(|now| now + answer_max);
        ClaimRequest { bytes_max: self.bytes_max, not_after, limited_max: self.limited_max, ..request }
    }

    /// Takes one job off what was asked for, with its start; `None` for a job that was not asked
    /// for.
    fn take_details(&mut self, reading: ClockReading) -> Option<ClaimDetails> {
        self.limit = self.limit.checked_sub(1)?;
        let start = match &mut self.starts {
            Some(starts) => Some(starts.split_one()?),
            None => None,
        };
        Some(ClaimDetails { queue_index: self.queue_index, start, reading })
    }
}

/// How long the worker waits for the answer: longer than a store needs to say that it has none, and
/// short enough to leave a part of the lease for finding what was leased.
fn answer_max(run: &WorkerRun) -> Duration {
    let call = run.storage.capabilities().call_timeout.saturating_add(ANSWER_MAX);
    call.min(run.options.lease.as_duration() * 2 / 3)
}

fn unanswered() -> Error {
    Error::new(ErrorKind::Unavailable, "claim", "the store did not answer; what it leased is looked for")
        .unknown()
}

fn broken_claim() -> Error {
    let message = "the store claimed a job without its body, or more jobs than asked for; it will lapse";
    Error::new(ErrorKind::Internal, "claim", message)
}
