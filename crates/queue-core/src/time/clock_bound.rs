//! Keeps a clock that leaps ahead from carrying store time with it.

use crate::{Error, ErrorKind, Span, Timestamp};
use std::time::Duration;

/// How long a handle doubts a clock that has leapt ahead and stays there. A wrong clock is put
/// right within that time (NTP takes seconds to minutes), and after it a machine that was really
/// stopped for longer, as a restored snapshot is, works again by itself.
const DOUBT: Duration = Duration::from_secs(300);

/// The bound on what one handle may raise the mark of store time by, beyond the clock that it has
/// agreed with. A store whose clock is that of the machine asks it before each step.
///
/// A handle agrees with the first reading that is not behind the mark, and from then on expects the
/// clock to go on as its monotonic counter does. A reading that is ahead of both the expectation
/// and the mark by more than the bound is [refused](ClockLeap), until the clock is back or has said
/// the same for five minutes. A handle that opens has no counter to compare with: it takes the
/// clock as it is, since the first process after a long pause finds an old mark and a clock that is
/// right.
///
/// ```
/// use queue_core::{ClockBound, Timestamp};
/// use std::time::Duration;
///
/// let (start, second) = (Timestamp::from_millis(1_767_225_600_000), Duration::from_secs(1));
/// let mut bound = ClockBound::default();
/// bound.check(Timestamp::default(), start, second)?;
/// let in_a_day = Timestamp::from_millis(start.as_millis() + 86_400_000);
/// assert!(bound.check(start, in_a_day, 2 * second).is_err());
/// # Ok::<(), queue_core::ClockLeap>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ClockBound {
    step_max: Duration,
    /// The last reading that was agreed with, and the counter then.
    agreed: Option<(Timestamp, Duration)>,
    /// The counter when the clock was first found to have leapt.
    doubted_at: Option<Duration>,
}

/// The clock of the machine has leapt ahead, and nothing was written or read. It is the source of
/// an [`Error`] of kind [`Unavailable`](ErrorKind::Unavailable).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the clock has leapt {by:?} ahead of the time that this handle measured, so nothing was done: if it is wrong, set it; if \
     it is right, open the store again (restart the program), or wait: in {left:?} it is believed"
)]
#[non_exhaustive]
pub struct ClockLeap {
    /// How far ahead it is of what the handle expected.
    pub by: Duration,
    /// How long the handle still refuses a clock that stays there.
    pub left: Duration,
}

impl ClockBound {
    /// One hour: what a clock may be off by and still be believed. A clock that is set by hand, or
    /// that runs on the local time of another season, stays within it, and a delay of a day or a
    /// month does not end early by much for it. It is the default bound, and everything that asks
    /// whether a clock was far ahead goes by it: schedules, the doctor.
    pub const STEP_MAX: Span = Span::from_secs(3600);

    /// A clock may leap ahead by this much; [`Duration::MAX`] for no bound.
    pub const fn new(step_max: Duration) -> Self {
        Self { step_max, agreed: None, doubted_at: None }
    }

    /// The same bound for a handle that has agreed with no clock yet.
    #[must_use]
    pub const fn fresh(&self) -> Self {
        Self::new(self.step_max)
    }

    /// Checks a reading of the clock before anything is decided by it; `ticks` is the reading of
    /// the monotonic counter, `mark` that of the store.
    ///
    /// # Errors
    /// [`ClockLeap`]. Its time must neither be written nor answered.
    pub fn check(&mut self, mark: Timestamp, clock: Timestamp, ticks: Duration) -> Result<(), ClockLeap> {
        let Some(expected) = self.expected(ticks) else {
            if clock >= mark {
                self.agree(clock, ticks);
            }
            return Ok(());
        };
        if clock.since(expected.max(mark)) <= self.step_max {
            self.doubted_at = None;
            if clock > expected {
                self.agree(clock, ticks);
            }
            return Ok(());
        }
        let doubted_at = *self.doubted_at.get_or_insert(ticks);
        let left = DOUBT.saturating_sub(ticks.saturating_sub(doubted_at));
        if left.is_zero() {
            self.agree(clock, ticks);
            return Ok(());
        }
        Err(ClockLeap { by: clock.since(expected), left })
    }

    fn agree(&mut self, clock: Timestamp, ticks: Duration) {
        (self.agreed, self.doubted_at) = (Some((clock, ticks)), None);
    }

    /// What a clock that is right reads now.
    fn expected(&self, ticks: Duration) -> Option<Timestamp> {
        let (clock, at) = self.agreed?;
        let measured = i64::try_from(ticks.saturating_sub(at).as_millis()).unwrap_or(i64::MAX);
        Some(Timestamp::from_millis(clock.as_millis().saturating_add(measured)))
    }
}

impl Default for ClockBound {
    /// [`STEP_MAX`](Self::STEP_MAX).
    fn default() -> Self {
        Self::new(Self::STEP_MAX.as_duration())
    }
}

impl ClockLeap {
    /// For the caller of a verb.
    pub fn of(self, operation: &'static str) -> Error {
        Error::new(ErrorKind::Unavailable, operation, self.to_string()).with_source(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 3_600_000;

    /// 2026-01-01, and so many milliseconds.
    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(1_767_225_600_000 + millis)
    }

    fn ticks(millis: i64) -> Duration {
        Duration::from_millis(millis.unsigned_abs())
    }

    fn agreed() -> ClockBound {
        let mut bound = ClockBound::default();
        bound.check(at(0), at(0), ticks(0)).expect("it opens");
        bound
    }

    #[test]
    fn a_handle_that_opens_takes_the_clock_as_it_is_however_old_the_mark() {
        let mut bound = ClockBound::default();
        assert_eq!(bound.check(at(-400 * 24 * HOUR), at(0), ticks(5)), Ok(()));
    }

    #[test]
    fn a_leap_of_more_than_the_bound_is_refused_until_the_clock_is_back() {
        let mut bound = agreed();
        assert_eq!(bound.check(at(0), at(HOUR + 7), ticks(7)), Ok(()), "an hour and what was measured");
        let mut bound = agreed();
        let leap = bound.check(at(0), at(HOUR + 8), ticks(7)).expect_err("it leapt");
        assert_eq!((leap.by, leap.left), (ticks(HOUR + 1), DOUBT));
        assert_eq!(bound.check(at(0), at(20), ticks(20)), Ok(()));
        assert!(bound.check(at(0), at(40 * 24 * HOUR), ticks(30)).is_err());
    }

    #[test]
    fn time_that_was_measured_is_no_leap() {
        assert_eq!(agreed().check(at(0), at(400 * 24 * HOUR), ticks(400 * 24 * HOUR)), Ok(()));
    }

    #[test]
    fn a_clock_that_stays_ahead_for_five_minutes_is_believed() {
        let (mut bound, doubt) = (agreed(), i64::try_from(DOUBT.as_millis()).expect("minutes"));
        let day = 24 * HOUR;
        assert!(bound.check(at(0), at(day), ticks(0)).is_err());
        let leap = bound.check(at(0), at(day + doubt - 1), ticks(doubt - 1)).expect_err("not yet");
        assert_eq!(leap.left, ticks(1));
        assert_eq!(bound.check(at(0), at(day + doubt), ticks(doubt)), Ok(()));
        assert_eq!(bound.check(at(0), at(day + doubt + 9), ticks(doubt + 9)), Ok(()));
    }

    /// A machine without a battery for its clock begins in 1970.
    #[test]
    fn a_clock_that_is_behind_the_mark_is_not_agreed_with_and_may_be_set() {
        let mut bound = ClockBound::default();
        assert_eq!(bound.check(at(0), Timestamp::from_millis(5), ticks(0)), Ok(()));
        assert_eq!(bound.check(at(0), at(20 * HOUR), ticks(1)), Ok(()));
        assert!(bound.check(at(0), at(40 * HOUR), ticks(2)).is_err(), "now it has agreed");
    }

    #[test]
    fn a_step_back_and_forth_again_is_no_leap() {
        let mut bound = agreed();
        assert_eq!(bound.check(at(0), at(-9 * HOUR), ticks(1)), Ok(()));
        assert_eq!(bound.check(at(0), at(2), ticks(2)), Ok(()));
    }

    #[test]
    fn a_reading_that_raises_no_mark_is_taken() {
        assert_eq!(agreed().check(at(50 * HOUR), at(51 * HOUR), ticks(1)), Ok(()));
    }

    #[test]
    fn no_bound_refuses_nothing() {
        let mut bound = ClockBound::new(Duration::MAX);
        bound.check(at(0), at(0), ticks(0)).expect("it opens");
        assert_eq!(bound.check(at(0), Timestamp::from_millis(i64::MAX), ticks(1)), Ok(()));
    }
}
