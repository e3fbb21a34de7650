use crate::worker::{HeldJob, held_job::Room, rate::Reservation, shared::Shared, work_queue::WorkedQueue};
use queue_core::{ClaimRequest, Claimed, Error, ErrorKind, Result};
use std::{collections::VecDeque, sync::Arc};
use tokio::{sync::OwnedSemaphorePermit, time::Instant};

/// One claim, with the slots and the starts that its jobs are to have.
pub(super) struct Ask {
    /// Which queue, by its place among the worker's.
    pub(super) lane: usize,
    pub(super) queue: Arc<WorkedQueue>,
    /// As many as jobs are asked for; none asks only whether there are any.
    pub(super) slots: OwnedSemaphorePermit,
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
    /// Those that were not needed.
    pub(super) slots: OwnedSemaphorePermit,
    /// The answer without its jobs.
    pub(super) answer: Result<Claimed>,
}

impl Ask {
    /// Jobs are held as soon as they are here, so that the heartbeat has them while other queues still answer.
    pub(super) async fn send(mut self, shared: &Shared) -> Answered {
        let (limit, sent_at) = (self.slots.num_permits(), Instant::now());
        let mut answer = shared.storage.claim(self.request(shared, limit)).await;
        let claimed = answer.as_mut().map(|claimed| std::mem::take(&mut claimed.jobs)).unwrap_or_default();
        let got = claimed.len();
        let lapses_at = sent_at + shared.options.lease.as_duration();
        let mut jobs = VecDeque::with_capacity(got);
        for job in claimed {
            let held = self.room().and_then(|room| HeldJob::new(job, lapses_at, room)).map(Arc::new);
            let Some(held) = held else {
                shared.report_error_of(&self.queue.name, broken_claim());
                continue;
            };
            shared.hold(held.clone());
            jobs.push_back(held);
        }
        Answered { lane: self.lane, limit, got, jobs, slots: self.slots, answer }
    }

    fn request(&self, shared: &Shared, limit: usize) -> ClaimRequest {
        let (queue, worker) = (self.queue.name.clone(), shared.name.id.clone());
        ClaimRequest::new(queue, worker, limit, shared.options.lease, &*shared.rng)
    }

    /// What one job takes; `None` for one that nobody asked for.
    fn room(&mut self) -> Option<Room> {
        let slot = self.slots.split(1)?;
        let start = match &mut self.starts {
            Some(starts) => Some(starts.split_one()?),
            None => None,
        };
        Some(Room { lane: self.lane, slot, start })
    }
}

fn broken_claim() -> Error {
    let message = "the store claimed a job without its body, or more jobs than asked for; it will lapse";
    Error::new(ErrorKind::Internal, "claim", message)
}
