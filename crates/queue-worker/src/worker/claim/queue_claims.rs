//! One queue as the fetcher sees it: whether it is worth asking, and if not, until when.

use super::{dealer::Demand, flight::Flight};
use crate::{
    hint_subscription::{HintNews, HintSubscription},
    worker::{deadline, hold::ClockReading, run::WorkerRun, setup::WorkedQueue},
};
use queue_core::{
    ClaimPortion, Claimed, Timestamp,
    asking::{AfterClaim, NextAsk},
};
use std::{
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};
use tokio::time::Instant;

/// What the fetcher knows for its next claim of one queue.
pub(super) struct QueueClaims {
    pub(super) queue: Arc<WorkedQueue>,
    /// The worker is paused, or the store takes no outcomes of the queue now, so that more of its
    /// jobs would only wait for that too.
    pub(super) is_away: bool,
    /// How many handlers have no job yet, over all queues.
    pub(super) free_handlers: usize,
    /// Jobs that are due need a slot of their partition, which a job that waits in this worker
    /// would hold for nothing. So the queue is asked for as many as handlers are free.
    is_restrained: bool,
    pub(super) flight: Flight,
    pub(super) portion: ClaimPortion,
    /// The store's time, by its last answer.
    reading: Option<ClockReading>,
    hints: HintSubscription,
    next_ask: NextAsk,
}

impl QueueClaims {
    pub(super) fn new(queue: Arc<WorkedQueue>, poll_interval: Duration) -> Self {
        Self {
            queue,
            is_away: false,
            free_handlers: 0,
            is_restrained: false,
            flight: Flight::default(),
            portion: ClaimPortion::default(),
            reading: None,
            hints: HintSubscription::default(),
            next_ask: NextAsk::for_claims(poll_interval),
        }
    }

    /// For how many jobs it is worth asking now.
    pub(super) fn room(&self, now: Instant) -> usize {
        let useful = if self.is_restrained { self.free_handlers } else { usize::MAX };
        match &self.queue.rate {
            _ if self.is_away || self.flight.is_under_way() || self.rests() => 0,
            Some(rate) => rate.room(now).min(self.portion.jobs()).min(useful),
            None => self.portion.jobs().min(useful),
        }
    }

    /// Whether the next claim waits for a handler.
    pub(super) fn waits_for_handler(&self) -> bool {
        self.is_restrained && !self.rests()
    }

    /// The store's time, as far as it is known.
    pub(super) fn store_time(&self, now: Instant) -> Option<Timestamp> {
        self.reading.map(|reading| reading.store_time_at(now))
    }

    /// What the queue wants of the slots that are free now.
    pub(super) fn demand(&self, now: Instant) -> Demand {
        match self.room(now) {
            0 if self.flight.is_under_way() && !self.flight.is_slow(now) => Demand::InFlight,
            0 => Demand::Nothing,
            room => Demand::Room(room),
        }
    }

    /// Whether a claim would bring nothing for a while, rate limits apart.
    pub(super) fn rests(&self) -> bool {
        self.next_ask.rests_until().is_some()
    }

    /// When it will be worth asking if nothing happens before; `None` if that takes more than time.
    pub(super) fn rests_until(&self, now: Instant) -> Option<Instant> {
        match (self.next_ask.rests_until(), &self.queue.rate) {
            _ if self.is_away || self.flight.is_under_way() || self.room(now) > 0 => None,
            (Some(until), _) => Some(until.into()),
            (None, Some(rate)) => rate.wait_for_room(now).map(|wait| deadline::after(now, wait)),
            (None, None) => None,
        }
    }

    /// Subscribes before a claim is sent, so that no enqueue after the claim goes unnoticed. The
    /// claim does not wait for the subscription, and finds the jobs that earlier hints were about.
    pub(super) fn listen(&mut self, run: &WorkerRun) {
        self.hints.forget();
        if let Err(error) = self.hints.subscribe(&run.storage, &self.queue.name) {
            run.report_error_of(&self.queue.name, error);
        }
    }

    pub(super) fn close_hints(&mut self) {
        self.hints = HintSubscription::default();
    }

    /// Ends a rest that is over by the clock.
    pub(super) fn look_at_clock(&mut self, now: Instant) {
        self.next_ask.look_at_clock(now.into_std());
    }

    /// Cuts a rest short if a hint came, and answers whether anything did.
    pub(super) fn poll_hints(&mut self, run: &WorkerRun, context: &mut Context<'_>) -> Poll<()> {
        // A claim in flight finds what a hint would tell of, and a subscription has to be polled in
        // any case.
        let is_heeded = !self.flight.is_under_way() && self.next_ask.listens();
        let now = || Instant::now().into_std();
        let hints = &mut self.hints;
        match if is_heeded { hints.poll(context) } else { hints.poll_subscription(context) } {
            Poll::Pending => return Poll::Pending,
            Poll::Ready(HintNews::Hint(hint)) => self.next_ask.hinted(now(), &hint),
            Poll::Ready(HintNews::Ended) => self.next_ask.stream_ended(now(), &*run.rng),
            Poll::Ready(HintNews::Refused(error)) => run.report_error_of(&self.queue.name, error),
        }
        Poll::Ready(())
    }

    /// Makes the queue worth asking for another reason than a hint.
    pub(super) fn wake(&mut self) {
        self.next_ask.wake();
    }

    /// Notes the answer to a claim for `limit` jobs, which brought `got`. The jobs themselves are
    /// passed on already.
    pub(super) fn note_answer(
        &mut self,
        run: &WorkerRun,
        answer: &Claimed,
        got: usize,
        limit: usize,
    ) -> AfterClaim {
        let now = Instant::now();
        self.reading = Some(ClockReading::at(answer.now, now));
        if got > 0 {
            self.portion.double();
        }
        // The dispatcher starts no more jobs of a paused queue, or of a paused kind.
        if self.queue.note_pauses(answer, now) {
            run.paused.notify_one();
        }
        // It stays so until the store has no more: else every other claim would bring nothing.
        self.is_restrained = answer.kept_back || self.is_restrained && got == limit;
        // What was kept back was not asked for.
        let limit = if answer.kept_back { got } else { limit };
        self.next_ask.claimed(now.into_std(), answer, got, limit, &*run.rng)
    }

    /// Makes the queue worth asking after this long at the latest.
    pub(super) fn shorten_rest(&mut self, wait: Duration) {
        self.next_ask.no_later_than(deadline::after(Instant::now(), wait).into_std());
    }

    pub(super) fn note_error(&mut self, run: &WorkerRun, error: queue_core::Error) {
        run.report_error_of(&self.queue.name, error);
        self.next_ask.failed(Instant::now().into_std(), &*run.rng);
    }
}

/// Polls the hints of all queues, so that each can wake the task.
pub(super) fn poll_hints(queues: &mut [QueueClaims], run: &WorkerRun, context: &mut Context<'_>) -> Poll<()> {
    let mut any = Poll::Pending;
    for queue in queues {
        if queue.poll_hints(run, context).is_ready() {
            any = Poll::Ready(());
        }
    }
    any
}
