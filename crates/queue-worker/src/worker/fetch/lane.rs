use super::{dealer::Demand, flight::Flight};
use crate::worker::{
    hints::{Heard, Hints},
    later::later,
    shared::Shared,
    work_queue::WorkedQueue,
};
use queue_core::{
    ClaimPortion, Claimed, Span, Timestamp,
    asking::{AfterClaim, NextAsk},
};
use std::{
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};
use tokio::time::Instant;

/// One queue as the fetcher sees it: whether it is worth asking, and if not, until when.
pub(super) struct Lane {
    pub(super) queue: Arc<WorkedQueue>,
    /// The store does not take outcomes of it now, so more jobs of it would only wait for that too.
    pub(super) is_away: bool,
    pub(super) flight: Flight,
    pub(super) portion: ClaimPortion,
    /// What the store last said that its time is, and when it did.
    told: Option<(Timestamp, Instant)>,
    hints: Hints,
    next_ask: NextAsk,
}

impl Lane {
    pub(super) fn new(queue: Arc<WorkedQueue>, poll_interval: Duration) -> Self {
        Self {
            queue,
            is_away: false,
            flight: Flight::default(),
            portion: ClaimPortion::default(),
            told: None,
            hints: Hints::default(),
            next_ask: NextAsk::for_claims(poll_interval),
        }
    }

    /// For how many jobs it is worth asking now.
    pub(super) fn room(&self, now: Instant) -> usize {
        match &self.queue.rate {
            _ if self.is_away || self.flight.is_under_way() || self.rests() => 0,
            Some(rate) => rate.room(now).min(self.portion.jobs()),
            None => self.portion.jobs(),
        }
    }

    /// The store's time, as far as it is known.
    pub(super) fn store_time(&self, now: Instant) -> Option<Timestamp> {
        let (told, at) = self.told?;
        Some(told + Span::new("a while", now.saturating_duration_since(at)).unwrap_or(Span::MAX))
    }

    /// What it wants of the slots that are free now.
    pub(super) fn demand(&self, now: Instant) -> Demand {
        match self.room(now) {
            0 if self.flight.is_under_way() && !self.flight.is_slow(now) => Demand::Asked,
            0 => Demand::Nothing,
            room => Demand::Room(room),
        }
    }

    /// There is nothing to be had for a while, rate limits apart.
    pub(super) fn rests(&self) -> bool {
        self.next_ask.rests_until().is_some()
    }

    /// When it will be worth asking if nothing happens before; `None` if that takes more than time.
    pub(super) fn rests_until(&self, now: Instant) -> Option<Instant> {
        match (self.next_ask.rests_until(), &self.queue.rate) {
            _ if self.is_away || self.flight.is_under_way() || self.room(now) > 0 => None,
            (Some(until), _) => Some(until.into()),
            (None, Some(rate)) => rate.wait_for_room(now).map(|wait| later(now, wait)),
            (None, None) => None,
        }
    }

    /// Subscribes before claiming, so that nothing enqueued after the claim goes unnoticed. The claim does not wait. What was
    /// hinted at before is found by it.
    pub(super) fn listen(&mut self, shared: &Shared) {
        self.hints.forget();
        if let Err(error) = self.hints.subscribe(&shared.storage, &self.queue.name) {
            shared.report_error_of(&self.queue.name, error);
        }
    }

    /// Hears no more.
    pub(super) fn close_hints(&mut self) {
        self.hints = Hints::default();
    }

    /// Ends a rest that is over by the clock.
    pub(super) fn look_at_clock(&mut self, now: Instant) {
        self.next_ask.look_at_clock(now.into_std());
    }

    /// Cuts a rest short if a hint came, and answers whether anything did.
    pub(super) fn poll_hints(&mut self, shared: &Shared, context: &mut Context<'_>) -> Poll<()> {
        let is_heeded = !self.flight.is_under_way() && self.next_ask.listens();
        let now = || Instant::now().into_std();
        let hints = &mut self.hints;
        match if is_heeded { hints.poll(context) } else { hints.poll_subscription(context) } {
            Poll::Pending => return Poll::Pending,
            Poll::Ready(Heard::Hint(hint)) => self.next_ask.hinted(now(), &hint),
            Poll::Ready(Heard::Ended) => self.next_ask.stream_ended(now(), &*shared.rng),
            Poll::Ready(Heard::Refused(error)) => shared.report_error_of(&self.queue.name, error),
        }
        Poll::Ready(())
    }

    /// Something else than a hint says that it may be worth asking.
    pub(super) fn wake(&mut self) {
        self.next_ask.wake();
    }

    /// Notes the answer to a claim for `limit` jobs, which brought `got`; the jobs themselves are passed on already.
    pub(super) fn note_answer(
        &mut self,
        shared: &Shared,
        answer: &Claimed,
        got: usize,
        limit: usize,
    ) -> AfterClaim {
        let now = Instant::now();
        self.told = Some((answer.now, now));
        if got > 0 {
            self.portion.double();
        }
        // The dispatcher starts no more of a paused queue.
        self.queue.set_paused(answer.paused);
        self.next_ask.claimed(now.into_std(), answer, got, limit, &*shared.rng)
    }

    /// Asks again after this long at the latest.
    pub(super) fn shorten_rest(&mut self, wait: Duration) {
        self.next_ask.no_later_than(later(Instant::now(), wait).into_std());
    }

    pub(super) fn note_error(&mut self, shared: &Shared, error: queue_core::Error) {
        shared.report_error_of(&self.queue.name, error);
        self.next_ask.failed(Instant::now().into_std(), &*shared.rng);
    }
}

/// Polls all of them, so that each can wake the task.
pub(super) fn poll_hints(lanes: &mut [Lane], shared: &Shared, context: &mut Context<'_>) -> Poll<()> {
    let mut any = Poll::Pending;
    for lane in lanes {
        if lane.poll_hints(shared, context).is_ready() {
            any = Poll::Ready(());
        }
    }
    any
}
