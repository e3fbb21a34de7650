use super::{after_error, jittered};
use crate::{Claimed, Hint, Rng};
use std::time::{Duration, Instant};

/// Asks in a row that followed a hint and found nothing, up to which the next hint is followed at
/// once. A call needs two: its job is claimed, and then done.
const AT_ONCE_MAX: u32 = 4;
/// Then an ask comes no sooner than this after the last answer, as short as a timer can be,
const GAP_MIN: Duration = Duration::from_millis(1);
/// and the gap doubles up to this: whoever is hinted at in vain all the time listens less closely.
const GAP_MAX: Duration = Duration::from_millis(16);
/// A claim is a write. A store that says only that somebody wrote something makes everybody ask
/// whenever anybody writes, so such hints come to be followed four times a second.
const UNNAMED_CLAIM_GAP_MAX: Duration = Duration::from_millis(256);

/// Answers in a row that promised a job by now and brought none, from which on promises are not
/// believed.
const BROKEN_PROMISES_MAX: u32 = 2;

/// What is far beyond any clock need not be exact.
const FAR: Duration = Duration::from_secs(24 * 365 * 30 * 3600);

/// When it is worth asking a store again: for jobs, or how a job stands.
///
/// Whoever asks says what came of it, and asks again once [`rests_until`](Self::rests_until) is
/// `None` or past:
/// - an answer with `next_due` promises that there is nothing before that time, so the asker rests
///   until then, and no longer than a jittered poll interval, since hints get lost;
/// - a promise that is broken twice is not believed, and polling remains;
/// - a hint ends the rest at once. Those that led to nothing four times in a row are followed later
///   and later: up to 16 ms after the last answer, or 256 ms for claims upon [`Hint::Missed`],
///   which names no queue. One that names a job is always followed at once. An asker that was
///   hinted at needs no further hint, so it stops [listening](Self::listens) until it has asked;
/// - after an error only time helps, from 50 ms to 5 s.
///
/// Hints save time and nothing rests on them. A hint that comes after a quiet time is followed at
/// once, whatever there was before, so the job that comes to an idle queue does not wait.
///
/// Pure: every reading of the clock is passed in.
#[derive(Clone, Debug)]
pub struct NextAsk {
    poll: Duration,
    unnamed_gap_max: Duration,
    rest: Option<Rest>,
    /// When the last answer came.
    answered_at: Option<Instant>,
    /// The ask under way, or the next one, follows a hint.
    follows_hint: bool,
    /// What was asked last brought something new.
    has_found: bool,
    in_vain: u32,
    broken_promises: u32,
    errors: u32,
    streams_ended: u32,
}

/// There is no use in asking for a while.
#[derive(Clone, Copy, Debug)]
struct Rest {
    until: Instant,
    /// Hints say nothing of whether the store answers again.
    is_after_error: bool,
}

/// What to do after a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterClaim {
    /// Ask again as soon as there is room for more.
    Ask,
    /// What was promised for now is not there: somebody's lease has lapsed. Rescue, and ask again.
    Rescue,
    /// Rest, as noted.
    Rest,
}

impl NextAsk {
    /// For one who claims, and polls at this interval when nothing is known.
    pub fn for_claims(poll: Duration) -> Self {
        Self::new(poll, UNNAMED_CLAIM_GAP_MAX)
    }

    /// For one who reads, at intervals that it says each time.
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

    /// Until when there is no use in asking, if nothing happens before; `None` if it is worth it
    /// now.
    pub fn rests_until(&self) -> Option<Instant> {
        self.rest.map(|rest| rest.until)
    }

    /// Whether a hint would make a difference now.
    pub fn listens(&self) -> bool {
        self.rest.is_some_and(|rest| !rest.is_after_error) && !self.follows_hint
    }

    /// Whether it was a hint that ended the last rest, or will end this one.
    pub fn follows_hint(&self) -> bool {
        self.follows_hint
    }

    /// A claim for `limit` jobs was answered, and `got` so many; the jobs themselves may have been
    /// taken out.
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
        // One that only looks has found nothing, whatever there is.
        self.answered(now, limit > 0);
        if got >= limit {
            self.broken_promises = 0;
            return AfterClaim::Ask;
        }
        let due_in = answer.next_due.map(|at| at.since(answer.now)).filter(|_| !answer.paused);
        let is_broken = due_in == Some(Duration::ZERO) && got == 0;
        self.broken_promises = if is_broken { self.broken_promises.saturating_add(1) } else { 0 };
        let poll = jittered(self.poll, rng);
        let wait = match due_in {
            // It was given as many bytes as it may have at once.
            Some(Duration::ZERO) if got > 0 => return AfterClaim::Ask,
            Some(Duration::ZERO) if self.broken_promises < BROKEN_PROMISES_MAX => return AfterClaim::Rescue,
            Some(due_in) if !is_broken => due_in.min(poll),
            Some(_) | None => poll,
        };
        self.rest_until(later(now, wait), false);
        AfterClaim::Rest
    }

    /// A read was answered; the next is due after this interval.
    pub fn read(&mut self, now: Instant, interval: Duration) {
        self.errors = 0;
        self.answered(now, true);
        self.rest_until(later(now, interval), false);
    }

    /// What was asked brought something new, so the next hint may well do so too.
    pub fn found(&mut self) {
        self.has_found = true;
    }

    /// The store could not be asked. Answers for how long it is left alone.
    pub fn failed(&mut self, now: Instant, rng: &dyn Rng) -> Duration {
        self.errors = self.errors.saturating_add(1);
        self.follows_hint = false;
        let wait = after_error(self.errors, rng);
        self.rest_until(later(now, wait), true);
        wait
    }

    /// A hint came. Says when the rest ends, if that is sooner than it would have been.
    pub fn hinted(&mut self, now: Instant, hint: &Hint) {
        self.streams_ended = 0;
        if !self.listens() {
            return;
        }
        let gap = match hint {
            // It says what happened.
            Hint::Job(_) => Duration::ZERO,
            Hint::Wake => gap_after(self.in_vain, GAP_MAX),
            Hint::Missed => gap_after(self.in_vain, self.unnamed_gap_max),
        };
        self.no_later_than(self.answered_at.map_or(now, |at| at + gap));
        self.follows_hint = true;
    }

    /// No more hints come from this subscription. It is made anew with the next ask, which comes
    /// the later the more often that happens.
    pub fn stream_ended(&mut self, now: Instant, rng: &dyn Rng) {
        self.streams_ended = self.streams_ended.saturating_add(1);
        self.no_later_than(later(now, after_error(self.streams_ended, rng)));
    }

    /// Something else than a hint says that it may be worth asking.
    pub fn wake(&mut self) {
        self.rest = self.rest.filter(|rest| rest.is_after_error);
    }

    /// Ends a rest that is over by the clock.
    pub fn look_at_clock(&mut self, now: Instant) {
        self.rest = self.rest.filter(|rest| rest.until > now);
    }

    /// The rest ends at this time at the latest.
    pub fn no_later_than(&mut self, latest: Instant) {
        self.rest = self.rest.map(|rest| Rest { until: rest.until.min(latest), ..rest });
    }

    /// The rest ends at this time at the earliest; one begins if there is none.
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

/// How far apart two asks are after so many hints in vain.
fn gap_after(in_vain: u32, most: Duration) -> Duration {
    match in_vain.checked_sub(AT_ONCE_MAX) {
        None => Duration::ZERO,
        Some(doublings) => most.min(GAP_MIN.saturating_mul(2_u32.saturating_pow(doublings))),
    }
}

/// A moment to wait for. One that is too far ahead for the clock need not be exact.
fn later(at: Instant, by: Duration) -> Instant {
    at.checked_add(by).unwrap_or_else(|| at + FAR)
}
