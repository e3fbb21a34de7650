//! Times in which a caller had no answer of its store.

use crate::{Span, Timestamp};
use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

/// A lease may have lapsed while the caller had nothing to ask. A caller that asks when the next
/// lease lapses comes no later than this, and ends that lease at once.
const JUST_LAPSED: Span = Span::from_secs(2);
/// The most silences that are remembered. Beyond that the oldest is forgotten, and its leases are
/// ended early.
const SILENCES_MAX: usize = 32;

/// The answers of a store to one caller that writes, and the silences between them: which lapsed
/// leases the caller leaves alone for a while (ADR 0071).
///
/// A store does not know that it stood still, and a process that was refused an outcome cannot tell
/// the others in time. So each process judges by its own calls. Leases that lapsed in a silence are
/// left alone for [`RESENT_WITHIN`](Self::RESENT_WITHIN) from the answer that ended it, since their
/// workers may be about to send outcomes again. A silence is
/// - the time before the first answer;
/// - a time between two answers in which a call failed;
/// - a longer time between two answers than the caller is used to, by its own clock or the store's,
///   which goes on while a machine is suspended.
///
/// Reads do not count as answers: a store that takes no writes may still answer them.
///
/// The type is pure: every reading of the clock is passed in.
#[derive(Clone, Debug)]
pub struct StoreAnswers {
    silence_max: Duration,
    last: Option<Answer>,
    /// A call has failed since the last answer.
    has_failed: bool,
    silences: VecDeque<Silence>,
}

/// When the store answered, by both clocks.
#[derive(Clone, Copy, Debug)]
struct Answer {
    store_time: Timestamp,
    came: Instant,
}

/// From the answer before it, if there was one, to the answer that ended it.
#[derive(Clone, Copy, Debug)]
struct Silence {
    from: Option<Timestamp>,
    end: Answer,
    /// A call failed, so the store stood still, and leases lapse also shortly after.
    has_failed: bool,
}

impl StoreAnswers {
    /// A shorter time without an answer hides nothing by itself: a store that stands still for less
    /// takes the heartbeats of ordinary leases in time.
    pub const SILENCE_MAX: Duration = Duration::from_secs(5);
    /// How long leases are left alone: twice the longest wait of a worker between two sendings.
    pub const RESENT_WITHIN: Duration = Duration::from_secs(10);

    /// For a caller whose calls are ordinarily no further apart than this.
    pub const fn new(silence_max: Duration) -> Self {
        Self { silence_max, last: None, has_failed: false, silences: VecDeque::new() }
    }

    /// Notes the answer to a call that writes.
    pub fn note(&mut self, now: Instant, store_time: Timestamp) {
        let end = Answer { store_time, came: now };
        if self.has_failed || self.last.is_none_or(|last| end.is_later_by(last, self.silence_max)) {
            self.silences.retain(|silence| silence.holds(now));
            if self.silences.len() == SILENCES_MAX {
                self.silences.pop_front();
            }
            let from = self.last.map(|last| last.store_time);
            self.silences.push_back(Silence { from, end, has_failed: self.has_failed });
        }
        (self.last, self.has_failed) = (Some(end), false);
    }

    /// Notes that the store failed a call which may succeed when it is sent again.
    pub const fn note_failure(&mut self) {
        self.has_failed = true;
    }

    /// What the clock of the store shows now, if it has ever answered.
    pub fn store_time(&self, now: Instant) -> Option<Timestamp> {
        self.last.map(|last| last.store_time + Span::at_most(last.elapsed(now)))
    }

    /// Whether an answer came within this time, and no call has failed since.
    pub fn is_fresh(&self, now: Instant, within: Duration) -> bool {
        !self.has_failed && self.last.is_some_and(|last| last.elapsed(now) <= within)
    }

    /// Whether the caller leaves a lease alone: it lapsed in a silence, and its worker may still be
    /// about to settle the job.
    pub fn hide(&self, now: Instant, lapsed_at: Timestamp) -> bool {
        self.silences.iter().any(|silence| silence.holds(now) && silence.hides(lapsed_at))
    }
}

impl Default for StoreAnswers {
    /// For a caller that asks often.
    fn default() -> Self {
        Self::new(Self::SILENCE_MAX)
    }
}

impl Answer {
    fn elapsed(self, now: Instant) -> Duration {
        now.saturating_duration_since(self.came)
    }

    fn is_later_by(self, other: Self, by: Duration) -> bool {
        other.elapsed(self.came) > by || self.store_time.since(other.store_time) > by
    }
}

impl Silence {
    fn holds(&self, now: Instant) -> bool {
        self.end.elapsed(now) < StoreAnswers::RESENT_WITHIN
    }

    fn hides(&self, lapsed_at: Timestamp) -> bool {
        let is_unseen = self.has_failed || lapsed_at + JUST_LAPSED < self.end.store_time;
        is_unseen && self.from.is_none_or(|from| from < lapsed_at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEFT_ALONE: u64 = StoreAnswers::RESENT_WITHIN.as_secs();

    /// A caller whose clock and whose store count the same seconds.
    struct Caller {
        answers: StoreAnswers,
        began: Instant,
    }

    impl Caller {
        /// Had an answer in each second up to the 120th.
        fn since_120() -> Self {
            let mut caller = Self::fresh();
            (100..=120).for_each(|second| caller.answer(second));
            caller
        }

        fn fresh() -> Self {
            #[expect(clippy::disallowed_methods, reason = "any instant will do")]
            let began = Instant::now();
            Self { answers: StoreAnswers::default(), began }
        }

        fn at(&self, second: u64) -> Instant {
            self.began + Duration::from_secs(second)
        }

        fn answer(&mut self, second: u64) {
            let now = self.at(second);
            self.answers.note(now, store_time(second));
        }

        fn hides(&self, now: u64, lapsed_at: u64) -> bool {
            self.answers.hide(self.at(now), store_time(lapsed_at))
        }
    }

    fn store_time(second: u64) -> Timestamp {
        Timestamp::from_millis(i64::try_from(second).expect("a test is short") * 1000)
    }

    #[test]
    fn leases_that_lapsed_before_the_first_answer_are_left_alone_for_a_while() {
        let mut caller = Caller::fresh();
        caller.answer(100);
        assert!(caller.hides(100, 50));
        assert!(caller.hides(99 + LEFT_ALONE, 50));
        assert!(!caller.hides(100 + LEFT_ALONE, 50));
        assert!(!caller.hides(100, 99), "a caller that waits for a lapse comes so soon after it");
    }

    #[test]
    fn a_lease_that_lapses_between_ordinary_answers_is_ended() {
        let caller = Caller::since_120();
        assert!(!caller.hides(120, 119));
        assert!(!caller.hides(120, 112));
    }

    #[test]
    fn a_long_time_without_an_answer_hides_what_lapsed_in_it() {
        let mut caller = Caller::since_120();
        caller.answer(126);
        assert!(!caller.hides(126, 120), "its worker had an answer since");
        assert!(caller.hides(126, 121));
        assert!(!caller.hides(126, 125), "it has just lapsed");
        assert!(!caller.hides(126 + LEFT_ALONE, 121));
    }

    #[test]
    fn a_failure_hides_what_lapsed_around_it_however_short_it_was() {
        let mut caller = Caller::since_120();
        caller.answers.note_failure();
        caller.answer(122);
        assert!(caller.hides(122, 121));
        assert!(caller.hides(124, 123), "heartbeats come again a while after the store");
        assert!(!caller.hides(124, 120));
        assert!(!caller.hides(122 + LEFT_ALONE, 121));
    }

    #[test]
    fn a_silence_that_follows_another_does_not_end_it() {
        let mut caller = Caller::since_120();
        caller.answer(150);
        caller.answers.note_failure();
        caller.answer(151);
        assert!(caller.hides(152, 130));
    }

    #[test]
    fn calls_that_fail_again_and_again_keep_no_lease_for_ever() {
        let mut caller = Caller::since_120();
        let mut hidden = Vec::new();
        for second in 121..200 {
            caller.answers.note_failure();
            caller.answer(second);
            hidden.push(caller.hides(second, 130));
        }
        assert_eq!(hidden.iter().filter(|&&is_hidden| is_hidden).count() as u64, LEFT_ALONE + 9);
        assert!(caller.answers.silences.len() <= SILENCES_MAX);
    }

    #[test]
    fn a_machine_that_was_suspended_was_silent_by_the_clock_of_the_store_alone() {
        let mut caller = Caller::since_120();
        caller.answers.note(caller.at(121), store_time(1121));
        assert!(caller.answers.hide(caller.at(121), store_time(600)));
    }
}
