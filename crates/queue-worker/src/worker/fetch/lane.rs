use super::{dealer::Demand, flight::Flight};
use crate::worker::{
    backoff::{after_error, jittered, later},
    hints::{Heard, Hints},
    shared::Shared,
    work_queue::WorkedQueue,
};
use queue_core::{ClaimPortion, Claimed, Span, Timestamp};
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
    rest: Option<Rest>,
    /// Answers in a row that promised a job by now and brought none.
    broken_promises: u32,
    errors: u32,
    /// Subscriptions in a row that ended without a hint.
    streams_ended: u32,
}

/// There is nothing to be had for a while.
#[derive(Clone, Copy, Debug)]
struct Rest {
    until: Instant,
    /// After an error there is no use in hints: they say nothing of whether the store answers again.
    heeds_hints: bool,
}

/// What to do about a queue after its claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum After {
    /// Ask again when there is room, or rest, as noted.
    Nothing,
    /// What was promised for now is not there: somebody's lease lapsed.
    Rescue,
}

impl Lane {
    pub(super) fn new(queue: Arc<WorkedQueue>) -> Self {
        Self {
            queue,
            is_away: false,
            flight: Flight::default(),
            portion: ClaimPortion::default(),
            told: None,
            hints: Hints::default(),
            rest: None,
            broken_promises: 0,
            errors: 0,
            streams_ended: 0,
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
        self.rest.is_some()
    }

    /// When it will be worth asking if nothing happens before; `None` if that takes more than time.
    pub(super) fn rests_until(&self, now: Instant) -> Option<Instant> {
        match (&self.rest, &self.queue.rate) {
            _ if self.is_away || self.flight.is_under_way() || self.room(now) > 0 => None,
            (Some(rest), _) => Some(rest.until),
            (None, Some(rate)) => rate.wait_for_room(now).map(|wait| later(now, wait)),
            (None, None) => None,
        }
    }

    /// Subscribes before claiming, so that nothing enqueued after the claim goes unnoticed. The claim does not wait.
    pub(super) fn listen(&mut self, shared: &Shared) {
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
        self.rest = self.rest.filter(|rest| rest.until > now);
    }

    /// Ends a rest that a hint cut short, and answers whether one did.
    pub(super) fn poll_hints(&mut self, shared: &Shared, context: &mut Context<'_>) -> Poll<()> {
        let is_heeded = !self.flight.is_under_way() && self.rest.is_some_and(|rest| rest.heeds_hints);
        let hints = &mut self.hints;
        match if is_heeded { hints.poll(context) } else { hints.poll_subscription(context) } {
            Poll::Pending => return Poll::Pending,
            Poll::Ready(Heard::Hint) => {
                self.streams_ended = 0;
                self.rest = None;
            }
            Poll::Ready(Heard::Ended) => {
                self.streams_ended += 1;
                self.shorten_rest(after_error(self.streams_ended, &*shared.rng));
            }
            Poll::Ready(Heard::Refused(error)) => shared.report_error_of(&self.queue.name, error),
        }
        Poll::Ready(())
    }

    /// Something else than a hint says that it may be worth asking.
    pub(super) fn wake(&mut self) {
        self.rest = self.rest.filter(|rest| !rest.heeds_hints);
    }

    /// Notes the answer to a claim for `limit` jobs, which brought `got`; the jobs themselves are passed on already.
    pub(super) fn note_answer(
        &mut self,
        shared: &Shared,
        answer: &Claimed,
        got: usize,
        limit: usize,
    ) -> After {
        self.errors = 0;
        self.told = Some((answer.now, Instant::now()));
        if got > 0 {
            self.portion.double();
        }
        // The dispatcher starts no more of a paused queue.
        self.queue.set_paused(answer.paused);
        if got >= limit {
            self.broken_promises = 0;
            return After::Nothing;
        }
        let due_in = answer.next_due.map(|at| at.since(answer.now)).filter(|_| !answer.paused);
        self.broken_promises = match due_in {
            Some(Duration::ZERO) if got == 0 => self.broken_promises + 1,
            _ => 0,
        };
        let poll = jittered(shared.options.poll_interval, &*shared.rng);
        let wait = match (due_in, self.broken_promises) {
            // It was given as many bytes as it may have at once.
            (Some(Duration::ZERO), _) if got > 0 => return After::Nothing,
            (Some(Duration::ZERO), 0..=1) => return After::Rescue,
            (Some(due_in), 0) => due_in.min(poll),
            (Some(_) | None, _) => poll,
        };
        self.rest = Some(Rest { until: later(Instant::now(), wait), heeds_hints: true });
        After::Nothing
    }

    /// Asks again after this long at the latest.
    pub(super) fn shorten_rest(&mut self, wait: Duration) {
        let latest = later(Instant::now(), wait);
        self.rest = self.rest.map(|rest| Rest { until: rest.until.min(latest), ..rest });
    }

    pub(super) fn note_error(&mut self, shared: &Shared, error: queue_core::Error) {
        self.errors += 1;
        shared.report_error_of(&self.queue.name, error);
        let until = later(Instant::now(), after_error(self.errors, &*shared.rng));
        self.rest = Some(Rest { until, heeds_hints: false });
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
