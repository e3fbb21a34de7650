//! Progress that lies ahead of the clock. Either the clock was ahead when it was stored, and the
//! schedule would be silent until the clock is there again; or the clock is behind now, and ticks
//! that ran would come again. The second is over soon, so a schedule looks twice before it believes
//! the clock.

use crate::{Progress, ScheduleSpec, Timing, due::minus, spec::GAPS_SEEN};
use queue_core::{ClockBound, Span, Timestamp};
use std::fmt;

/// Progress may lie ahead of the clock by this much, or by the longest step between two of the next
/// ticks if that is more: clocks are put back a little, and no tick is to come twice for it. It is
/// what a handle lets its clock leap ahead by, so that progress is judged as its clock was.
pub const AHEAD_MAX: Span = ClockBound::STEP_MAX;
/// How long a clock must find the same progress too far ahead before the schedule is set back: as
/// much time as a clock may be off by without a doubt.
pub const DOUBT: Span = AHEAD_MAX;

/// The progress of a schedule lay ahead of the clock by more than [`AHEAD_MAX`] and by more than
/// the longest step between two of its next ticks. A clock that is right cannot have left it there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ahead {
    /// How far ahead it lay.
    pub by: Span,
    /// Whether the schedule was set back to where the clock was at the first look. If not, it runs
    /// no tick and looks again once [`DOUBT`] has passed.
    pub is_set_back: bool,
}

impl fmt::Display for Ahead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let by = self.by.as_duration();
        if self.is_set_back {
            return write!(f, "a schedule was {by:?} ahead of the store's clock, and is set back to it");
        }
        let later = DOUBT.as_duration();
        write!(
            f,
            "a schedule is {by:?} ahead of the store's clock, and is set back if it still is {later:?} later"
        )
    }
}

/// Where the progress lies before ticks are looked for, with how far it lay ahead.
pub(crate) enum Reach {
    Within(Progress),
    Doubted(Progress, Span),
    SetBack(Progress, Span),
}

impl ScheduleSpec {
    /// How far progress lies ahead of the clock, if that is [too far](Ahead).
    pub fn is_ahead(&self, progress: Progress, clock: Timestamp) -> Option<Span> {
        let by = Span::at_most(progress.dealt.since(clock));
        (by > AHEAD_MAX && by > longest_step(&self.timing, clock)).then_some(by)
    }

    pub(crate) fn reach(&self, progress: Progress, clock: Timestamp) -> Reach {
        let Some(by) = self.is_ahead(progress, clock) else {
            return Reach::Within(Progress { ahead_since: None, ..progress });
        };
        match progress.ahead_since.filter(|since| *since <= clock) {
            None => Reach::Doubted(Progress { ahead_since: Some(clock), ..progress }, by),
            Some(since) if clock.since(since) < DOUBT.as_duration() => Reach::Doubted(progress, by),
            Some(since) => Reach::SetBack(Progress::new(self.unshifted(since), progress.ran), by),
        }
    }

    /// The moment whose tick is handled when the clock reads this.
    pub(crate) fn unshifted(&self, clock: Timestamp) -> Timestamp {
        minus(clock, self.shift().as_millis())
    }
}

/// The longest time between two of the next ticks; zero if fewer are left.
fn longest_step(timing: &Timing, after: Timestamp) -> Span {
    if let Timing::Every { period, .. } = timing {
        return *period;
    }
    let ticks: Vec<Timestamp> = timing.after(after).take(GAPS_SEEN).collect();
    let steps = ticks.windows(2).map(|pair| Span::at_most(pair[1].since(pair[0])));
    steps.max().unwrap_or(Span::ZERO)
}
