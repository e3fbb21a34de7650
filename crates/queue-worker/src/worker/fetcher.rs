use super::{
    HeldJob,
    backoff::{after_error, jittered},
    maintenance,
    options::Until,
    shared::Shared,
};
use futures_util::StreamExt;
use queue_core::{ClaimRequest, Claimed, Error, ErrorKind, EventStream, Interest};
use std::{pin::pin, sync::Arc, time::Duration};
use tokio::{
    sync::{OwnedSemaphorePermit, mpsc},
    time::{Instant, sleep},
};

/// Claims whenever there is room, and otherwise sleeps until exactly the next due job. One claim is in flight at a time,
/// so slots that become free meanwhile are asked for together.
///
/// It runs as a task of its own that is not aborted before the last step of a shutdown, since a dropped claim leaks
/// leases: a stop is looked at between claims, and what a late claim brings goes to the dispatcher, which gives it back.
pub(super) struct Fetcher {
    shared: Arc<Shared>,
    jobs: mpsc::UnboundedSender<Arc<HeldJob>>,
    hints: Option<EventStream>,
    /// Answers in a row that promised a job by now and brought none.
    broken_promises: u32,
    errors: u32,
    /// Subscriptions in a row that ended without a hint.
    streams_ended: u32,
}

impl Fetcher {
    /// The channel needs no bound: the slots bound what is held.
    pub(super) fn new(shared: Arc<Shared>, jobs: mpsc::UnboundedSender<Arc<HeldJob>>) -> Self {
        Self { shared, jobs, hints: None, broken_promises: 0, errors: 0, streams_ended: 0 }
    }

    pub(super) async fn run(mut self) {
        while let Some(slots) = self.free_slots().await {
            self.listen().await;
            // Looked at before the claim: what is settled later may have enqueued more.
            let was_idle = self.shared.held_count() == 0;
            let sent_at = Instant::now();
            match self.claim(slots.num_permits()).await {
                Ok(claimed) => {
                    self.stop_if_done(&claimed, was_idle);
                    if let Some(wait) = self.take(claimed, slots, sent_at).await {
                        self.sleep(wait).await;
                    }
                }
                Err(error) => self.back_off(error).await,
            }
        }
    }

    /// Waits for at least one free slot and takes all there are; `None` at the stop.
    async fn free_slots(&mut self) -> Option<OwnedSemaphorePermit> {
        let slots = &self.shared.slots;
        let mut permit = tokio::select! {
            biased;
            () = self.shared.signals.stop.cancelled() => return None,
            permit = slots.clone().acquire_owned() => permit.ok()?,
        };
        let more = u32::try_from(slots.available_permits()).unwrap_or(u32::MAX);
        if let Ok(rest) = slots.clone().try_acquire_many_owned(more) {
            permit.merge(rest);
        }
        Some(permit)
    }

    /// Subscribes before claiming, so that nothing enqueued after the claim goes unnoticed.
    async fn listen(&mut self) {
        if self.hints.is_none() {
            let subscribed = self.shared.storage.subscribe(&self.shared.queue, Interest::Wake).await;
            self.hints = subscribed.map_err(|error| self.shared.report_error(error)).ok();
        }
    }

    async fn claim(&mut self, room: usize) -> queue_core::Result<Claimed> {
        let limit = self.limit(room);
        let Shared { queue, name, options, rng, storage, .. } = &*self.shared;
        storage.claim(ClaimRequest::new(queue.clone(), name.id.clone(), limit, options.lease, &**rng)).await
    }

    fn limit(&self, room: usize) -> usize {
        room.min(self.shared.storage.capabilities().limits.batch_max)
    }

    /// Passes the jobs on, and answers how long to wait before the next claim.
    async fn take(
        &mut self,
        claimed: Claimed,
        mut slots: OwnedSemaphorePermit,
        sent_at: Instant,
    ) -> Option<Duration> {
        self.errors = 0;
        let (got, is_full) = (claimed.jobs.len(), claimed.jobs.len() == self.limit(slots.num_permits()));
        let lapses_at = sent_at + self.shared.options.lease.as_duration();
        for job in claimed.jobs {
            let held = slots.split(1).and_then(|slot| HeldJob::new(job, lapses_at, slot)).map(Arc::new);
            let Some(held) = held else {
                self.shared.report_error(broken_claim());
                continue;
            };
            self.shared.hold(held.clone());
            // The dispatcher outlives this task, so the job always arrives.
            drop(self.jobs.send(held));
        }
        drop(slots);
        if is_full {
            self.broken_promises = 0;
            return None;
        }
        let due_in = claimed.next_due.map(|at| at.since(claimed.now));
        self.pause_before_next(due_in.filter(|_| !claimed.paused), got).await
    }

    /// Exactly until the next due job; if that was promised for now and is not there, somebody's lease lapsed.
    async fn pause_before_next(&mut self, due_in: Option<Duration>, got: usize) -> Option<Duration> {
        let poll = jittered(self.shared.options.poll_interval, &*self.shared.rng);
        self.broken_promises = match due_in {
            Some(Duration::ZERO) if got == 0 => self.broken_promises + 1,
            _ => 0,
        };
        match (due_in, self.broken_promises) {
            (Some(Duration::ZERO), 0..=1) => {
                maintenance::rescue(&self.shared).await;
                None
            }
            (Some(due_in), 0) => Some(due_in.min(poll)),
            (Some(_) | None, _) => Some(poll),
        }
    }

    /// Hints say nothing of whether the store answers again, so they do not cut this short.
    async fn back_off(&mut self, error: Error) {
        self.errors += 1;
        self.shared.report_error(error);
        sleep_or_stop(&self.shared, after_error(self.errors, &*self.shared.rng)).await;
    }

    /// Ends the run if there is nothing left of what it was to wait for.
    fn stop_if_done(&self, claimed: &Claimed, was_idle: bool) {
        let is_done = match self.shared.options.until {
            Until::Stopped => false,
            Until::Idle => claimed.paused || claimed.next_due.is_none_or(|at| at > claimed.now),
            Until::Empty => claimed.next_due.is_none(),
        };
        if is_done && was_idle && claimed.jobs.is_empty() {
            self.shared.signals.stop.cancel();
        }
    }

    /// Sleeps, unless a hint comes or the worker stops. When the hints end, they are asked for again after a while.
    async fn sleep(&mut self, wait: Duration) {
        let mut timer = pin!(sleep(wait));
        let hints = &mut self.hints;
        let hint = async {
            match hints {
                Some(stream) => stream.next().await,
                None => std::future::pending().await,
            }
        };
        let before = self.streams_ended;
        self.streams_ended = tokio::select! {
            biased;
            () = self.shared.signals.stop.cancelled() => before,
            hint = hint => if hint.is_some() { 0 } else { before + 1 },
            () = self.shared.emptied.notified(), if self.shared.options.until != Until::Stopped => before,
            () = &mut timer => before,
        };
        if self.streams_ended > before {
            self.hints = None;
            let pause = sleep_or_stop(&self.shared, after_error(self.streams_ended, &*self.shared.rng));
            tokio::select! {
                biased;
                () = timer => {}
                () = pause => {}
            }
        }
    }
}

async fn sleep_or_stop(shared: &Shared, wait: Duration) {
    tokio::select! {
        biased;
        () = shared.signals.stop.cancelled() => {}
        () = sleep(wait) => {}
    }
}

fn broken_claim() -> Error {
    let message = "the store claimed a job without its body, or more jobs than asked for; it will lapse";
    Error::new(ErrorKind::Internal, "claim", message)
}
