//! Decides when a caller that waits asks a store again.

use super::{after_error, jittered};
use crate::{Claimed, Hint, Rng};
use std::time::{Duration, Instant};

/// How many asks in a row may follow a hint and find nothing before the next hint is followed
/// later. A call needs two: its job is claimed, and then done.
const AT_ONCE_MAX: u32 = 4;
/// The first gap between the last answer and an ask that follows a hint later; as short as a timer
/// can be.
const GAP_MIN: Duration = Duration::from_millis(1);
/// The longest gap, up to which it doubles while hints lead to nothing.
const GAP_MAX: Duration = Duration::from_millis(16);
/// The longest gap for claims after hints that name no queue. A claim is a write, and a store whose
/// hints say only that something was written would make every asker claim after every write. So
/// once the gap has grown to this, such hints are followed at most four times a second.
const UNNAMED_CLAIM_GAP_MAX: Duration = Duration::from_millis(256);

/// After this many answers in a row that promised a job by now and brought none, promises are
/// ignored.
const BROKEN_PROMISES_MAX: u32 = 2;

/// A time beyond the range of the clock is replaced by this one.
const FAR: Duration = Duration::from_secs(24 * 365 * 30 * 3600);

/// Decides when to ask a store again, for jobs or for the state of a job.
///
/// The asker reports the result of each ask, and asks again once [`rests_until`](Self::rests_until)
/// is `None` or past:
/// - an answer with `next_due` promises that there is no job before that time, so the asker rests
///   until then, or until the end of a pause, but no longer than a jittered poll interval, since
///   hints may be lost;
/// - after two broken promises in a row promises are ignored, and the asker polls;
/// - a hint ends the rest at once. After four hints in a row that led to nothing, hints are
///   followed later and later: up to 16 ms after the last answer, or 256 ms for claims after
///   [`Hint::Missed`], which names no queue. A hint that names a job is always followed at once.
///   After a hint the asker needs no further one, so it stops [listening](Self::listens) until it
///   has asked;
/// - after an error the asker rests for 50 ms to 5 s, and hints do not shorten the rest.
///
/// Hints save time, and correctness does not depend on them. A hint after a quiet time is followed
/// at once, so a job that comes to an idle queue does not wait.
///
/// The type is pure: every reading of the clock is passed in.
#[derive(Clone, Debug)]
pub struct NextAsk {
    poll: Duration,
    unnamed_gap_max: Duration,
    rest: Option<Rest>,
    /// When the last answer came.
    answered_at: Option<Instant>,
    /// Whether the ask in flight, or the next one, follows a hint.
    follows_hint: bool,
    /// Whether the last ask brought something new.
    has_found: bool,
    in_vain: u32,
    broken_promises: u32,
    errors: u32,
    streams_ended: u32,
}

/// A time during which asking is of no use.
#[derive(Clone, Copy, Debug)]
struct Rest {
    until: Instant,
    /// Whether the rest follows an error. Hints do not end such a rest, since they do not say that
    /// the store answers again.
    is_after_error: bool,
}

/// What to do after a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterClaim {
    /// Ask again as soon as there is room for more jobs.
    Ask,
    /// The job that was promised for now is not there, so a lease has lapsed. Rescue, and ask
    /// again.
    Rescue,
    /// Rest as long as [`NextAsk::rests_until`] says.
    Rest,
}

impl NextAsk {
    /// For an asker that claims, and polls at this interval if it knows no due time.
    pub fn for_claims(poll: Duration) -> Self {
        Self::new(poll, UNNAMED_CLAIM_GAP_MAX)
    }

    /// For an asker that reads, at intervals that it passes each time.
    pub fn for_reads() -> Self {
        Self::new(FAR, GAP_MAX)
    }

    fn new(poll: Duration, unnamed_gap_max: Duration) -> Self {
        Self {
            poll,
            unnamed_gap_max,
            rest: None,
            answered_at: None,
            follows_hint: false,
            has_found: false,
            in_vain: 0,
            broken_promises: 0,
            errors: 0,
            streams_ended: 0,
        }
    }

    /// Until when the asker rests if nothing happens before; `None` if it should ask now.
    pub fn rests_until(&self) -> Option<Instant> {
        self.rest.map(|rest| rest.until)
    }

    /// Whether a hint would change the rest now.
    pub fn listens(&self) -> bool {
        self.rest.is_some_and(|rest| !rest.is_after_error) && !self.follows_hint
    }

    /// Whether a hint ended the last rest, or will end this one.
    pub fn follows_hint(&self) -> bool {
        self.follows_hint
    }

    /// Notes that a claim for `limit` jobs was answered with `got` jobs, which may already have
    /// been moved out of the answer.
    pub fn claimed(
        &mut self,
        now: Instant,
        answer: &Claimed,
        got: usize,
        limit: usize,
        rng: &dyn Rng,
    ) -> AfterClaim {
        self.errors = 0;
        self.has_found |= got > 0;
        // A claim for no jobs has found nothing, even in a queue full of jobs.
        self.answered(now, limit > 0);
        if got >= limit {
            self.broken_promises = 0;
            return AfterClaim::Ask;
        }
        let due_in = answer.free_at().map(|at| at.since(answer.now));
        let has_progressed = got > 0 || answer.set_aside > 0;
        let is_broken = due_in == Some(Duration::ZERO) && !has_progressed;
        self.broken_promises = if is_broken { self.broken_promises.saturating_add(1) } else { 0 };
        let poll = jittered(self.poll, rng);
        let wait = match due_in {
            // The answer stopped at the bound of its bytes, or of the jobs to set aside.
            Some(Duration::ZERO) if has_progressed => return AfterClaim::Ask,
            Some(Duration::ZERO) if self.broken_promises < BROKEN_PROMISES_MAX => return AfterClaim::Rescue,
            Some(due_in) if !is_broken => due_in.min(poll),
            Some(_) | None => poll,
        };
        self.rest_until(later(now, wait), false);
        AfterClaim::Rest
    }

    /// Notes that a read was answered; the next is due after this interval.
    pub fn read(&mut self, now: Instant, interval: Duration) {
        self.errors = 0;
        self.answered(now, true);
        self.rest_until(later(now, interval), false);
    }

    /// Notes that the ask brought something new, so that the next hint is followed at once.
    pub fn found(&mut self) {
        self.has_found = true;
    }

    /// Notes that the ask failed, and answers how long the asker rests.
    pub fn failed(&mut self, now: Instant, rng: &dyn Rng) -> Duration {
        self.errors = self.errors.saturating_add(1);
        self.follows_hint = false;
        let wait = after_error(self.errors, rng);
        self.rest_until(later(now, wait), true);
        wait
    }

    /// Notes a hint, which may end the rest sooner.
    pub fn hinted(&mut self, now: Instant, hint: &Hint) {
        self.streams_ended = 0;
        if !self.listens() {
            return;
        }
        let gap = match hint {
            // The hint names the job that changed.
            Hint::Job(_) | Hint::Completed(_) => Duration::ZERO,
            Hint::Wake => gap_after(self.in_vain, GAP_MAX),
            Hint::Missed => gap_after(self.in_vain, self.unnamed_gap_max),
        };
        self.no_later_than(self.answered_at.map_or(now, |at| at + gap));
        // A rest that is over ends here and now: a timer would round even a time that is past up to
        // its next tick, a millisecond later.
        self.look_at_clock(now);
        self.follows_hint = true;
    }

    /// Notes that the subscription has ended. The next ask makes another, and comes later the more
    /// often this happens.
    pub fn stream_ended(&mut self, now: Instant, rng: &dyn Rng) {
        self.streams_ended = self.streams_ended.saturating_add(1);
        self.no_later_than(later(now, after_error(self.streams_ended, rng)));
    }

    /// Ends the rest for another reason than a hint.
    pub fn wake(&mut self) {
        self.rest = self.rest.filter(|rest| rest.is_after_error);
    }

    /// Ends a rest that is over by the clock.
    pub fn look_at_clock(&mut self, now: Instant) {
        self.rest = self.rest.filter(|rest| rest.until > now);
    }

    /// Makes the rest end at this time at the latest.
    pub fn no_later_than(&mut self, latest: Instant) {
        self.rest = self.rest.map(|rest| Rest { until: rest.until.min(latest), ..rest });
    }

    /// Makes the rest end at this time at the earliest; begins a rest if there is none.
    pub fn no_sooner_than(&mut self, earliest: Instant) {
        let until = self.rest.map_or(earliest, |rest| rest.until.max(earliest));
        self.rest = Some(Rest { until, is_after_error: self.rest.is_some_and(|rest| rest.is_after_error) });
    }

    fn answered(&mut self, now: Instant, may_find: bool) {
        let (follows_hint, has_found) = (self.follows_hint, self.has_found);
        (self.follows_hint, self.has_found) = (false, false);
        self.answered_at = Some(now);
        if has_found {
            self.in_vain = 0;
        } else if follows_hint && may_find {
            self.in_vain = self.in_vain.saturating_add(1);
        }
        self.rest = None;
    }

    fn rest_until(&mut self, until: Instant, is_after_error: bool) {
        self.rest = Some(Rest { until, is_after_error });
    }
}

/// The gap between two asks after `in_vain` hints that led to nothing.
fn gap_after(in_vain: u32, most: Duration) -> Duration {
    match in_vain.checked_sub(AT_ONCE_MAX) {
        None => Duration::ZERO,
        Some(doublings) => most.min(GAP_MIN.saturating_mul(2_u32.saturating_pow(doublings))),
    }
}

/// The moment `by` after `at`; a moment beyond the range of the clock need not be exact.
fn later(at: Instant, by: Duration) -> Instant {
    at.checked_add(by).unwrap_or_else(|| at + FAR)
}
