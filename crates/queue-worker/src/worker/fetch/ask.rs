use crate::worker::{
    HeldJob, heartbeat, held_job::Room, held_jobs::HeldJobs, rate::Reservation, shared::Shared,
    work_queue::WorkedQueue,
};
use queue_core::{ClaimRequest, Claimed, ClaimedJob, Error, ErrorKind, Result};
use std::{collections::VecDeque, sync::Arc};
use tokio::time::Instant;

/// One claim, with the starts that its jobs are to have.
pub(super) struct Ask {
    /// Which queue, by its place among the worker's.
    pub(super) lane: usize,
    pub(super) queue: Arc<WorkedQueue>,
    /// How many jobs are asked for; none asks only whether there are any.
    pub(super) limit: usize,
    /// As many, where a rate limit holds.
    pub(super) starts: Option<Reservation>,
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
}

impl Ask {
    /// Jobs are held as soon as they are here, so that the heartbeat has them.
    pub(super) async fn send(mut self, shared: Arc<Shared>) -> Answered {
        let (limit, sent_at) = (self.limit, Instant::now());
        let mut answer = shared.storage.claim(self.request(&shared, limit)).await;
        let claimed = answer.as_mut().map(|claimed| std::mem::take(&mut claimed.jobs)).unwrap_or_default();
        let got = claimed.len();
        let lapses_at = sent_at + shared.options.lease.as_duration();
        let jobs: VecDeque<_> = shared
            .hold(|held| claimed.into_iter().filter_map(|job| self.hold(held, job, lapses_at)).collect());
        if !jobs.is_empty() {
            heartbeat::look_at(&shared, lapses_at);
        }
        for _ in jobs.len()..got {
            shared.report_error_of(&self.queue.name, broken_claim());
        }
        Answered { lane: self.lane, limit, got, jobs, answer }
    }

    /// `None` for what is not to be held.
    fn hold(&mut self, held: &mut HeldJobs, job: ClaimedJob, lapses_at: Instant) -> Option<Arc<HeldJob>> {
        let room = self.room()?;
        held.add(|place| HeldJob::new(place, job, lapses_at, room))
    }

    fn request(&self, shared: &Shared, limit: usize) -> ClaimRequest {
        let (queue, worker) = (self.queue.name.clone(), shared.name.id.clone());
        ClaimRequest::new(queue, worker, limit, shared.options.lease, &*shared.rng)
    }

    /// What one job takes; `None` for one that nobody asked for.
    fn room(&mut self) -> Option<Room> {
        self.limit = self.limit.checked_sub(1)?;
        let start = match &mut self.starts {
            Some(starts) => Some(starts.split_one()?),
            None => None,
        };
        Some(Room { lane: self.lane, start })
    }
}

fn broken_claim() -> Error {
    let message = "the store claimed a job without its body, or more jobs than asked for; it will lapse";
    Error::new(ErrorKind::Internal, "claim", message)
}
