//! The calendar's part of a [`Firing`](crate::Firing): which ticks are due and which are missed,
//! and how long a schedule then sleeps.

use crate::{
    Ahead, Missed, Progress, ScheduleSpec,
    ahead::{DOUBT, Reach},
    spec::{GRACE_MAX, GRACE_MIN},
};
use queue_core::{Span, Timestamp};

/// The most ticks that one wake-up enqueues; the next wake-up follows at once with the rest.
pub const TICKS_MAX: usize = 1000;
/// The most missed runs that a schedule makes up for, also if it asks for more: each wake-up
/// searches for them until all are made up for.
pub const CATCH_UP_MAX: usize = 100_000;
/// The longest sleep of a schedule whose ticks new rules of its time zone may move. A machine gets
/// such rules while schedules sleep, and a tick that they move earlier is found at the next look,
/// which is within its grace: the default is at most [`GRACE_MAX`].
pub const LOOK_EVERY: Span = Span::from_millis(GRACE_MAX.as_millis() / 2);
/// The length of the first search for the newest ticks, in milliseconds; it grows by [`LOOK_GROWS`]
/// until it finds enough.
const LOOK_MS: i64 = 60_000;
const LOOK_GROWS: i64 = 4;

/// What a schedule does when it is woken.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Due {
    /// The ticks to enqueue, oldest first.
    pub run: Vec<Timestamp>,
    /// The number of ticks that the policy skips; counted up to [`TICKS_MAX`].
    pub skipped: usize,
    /// The progress after this wake-up.
    pub progress: Progress,
    /// The time until the next wake-up, by the calendar; `None` if no tick is left. See
    /// [`ScheduleSpec::wait`].
    pub wait: Option<Span>,
    /// Whether more ticks are to run than one wake-up enqueues.
    pub more: bool,
    /// How far the progress lay ahead of the clock, if that was too far.
    pub ahead: Option<Ahead>,
}

impl ScheduleSpec {
    /// What is due by the calendar. `clock` is the `clock` of a reply: neither the store's time,
    /// which runs on where a clock was put back, nor the clock of the calling machine. If the clock
    /// goes back, the next tick is the first that is not dealt with, unless the progress lies
    /// [too far ahead](Ahead).
    pub fn due(&self, progress: Option<Progress>, clock: Timestamp) -> Due {
        self.due_at_most(TICKS_MAX, progress, clock)
    }

    /// Does the same with fewer ticks in one wake-up, at least one; the next wake-up follows at
    /// once with the rest.
    pub(crate) fn due_at_most(&self, max: usize, progress: Option<Progress>, clock: Timestamp) -> Due {
        let max = max.clamp(1, TICKS_MAX);
        let (before, ahead) = match self.reach(self.standing(progress), clock) {
            Reach::Within(progress) => (progress, None),
            Reach::SetBack(progress, by) => (progress, Some(Ahead { by, is_set_back: true })),
            Reach::Doubted(progress, by) => return doubted(progress, by, clock),
        };
        let until = self.unshifted(clock).max(before.dealt);
        let mut run = self.to_run(before.dealt, until);
        let more = run.len() > max;
        run.truncate(max);
        let dealt = if more { run[max - 1] } else { until };
        let seen = self.between(before.dealt, dealt);
        let skipped = seen.take(run.len() + TICKS_MAX).count() - run.len();
        let ran = run.last().copied().or(before.ran);
        Due { run, skipped, progress: Progress::new(dealt, ran), wait: self.wait(dealt, clock), more, ahead }
    }

    /// The time until the first tick after `dealt` is to be handled, by the calendar; `None` if
    /// there is none. It is at most [`LOOK_EVERY`] if [new rules may move
    /// it](crate::Timing::follows_a_zone), and [`DOUBT`] if `dealt` lies [too far ahead](Ahead) of
    /// the clock.
    pub fn wait(&self, dealt: Timestamp, clock: Timestamp) -> Option<Span> {
        if self.is_ahead(Progress::new(dealt, None), clock).is_some() {
            return Some(DOUBT);
        }
        let next = self.timing.next(dealt)? + self.shift();
        let wait = Span::at_most(next.since(clock));
        Some(if self.timing.follows_a_zone() { wait.min(LOOK_EVERY) } else { wait })
    }

    fn to_run(&self, dealt: Timestamp, until: Timestamp) -> Vec<Timestamp> {
        match self.missed {
            Missed::Skip { grace: Some(grace) } => self.oldest(minus_span(until, grace).max(dealt), until),
            Missed::Skip { grace: None } => self.in_default_grace(dealt, until),
            Missed::Latest => self.newest(1, dealt, until),
            Missed::All { max } => self.newest(max.min(CATCH_UP_MAX), dealt, until),
        }
    }

    /// A tick that is later than [`GRACE_MIN`] and still within its grace has the next tick at
    /// least twice its lateness after it. That one is still to come, so such a tick is the newest.
    fn in_default_grace(&self, dealt: Timestamp, until: Timestamp) -> Vec<Timestamp> {
        let frequent = self.oldest(minus_span(until, GRACE_MIN).max(dealt), until);
        if !frequent.is_empty() {
            return frequent;
        }
        let mut newest = self.newest(1, minus_span(until, GRACE_MAX).max(dealt), until);
        newest.retain(|tick| until.since(*tick) <= self.grace(*tick).as_duration());
        newest
    }

    /// Half the time to the next tick, within bounds.
    fn grace(&self, tick: Timestamp) -> Span {
        let gap = self.timing.next(tick).map_or(Span::MAX, |next| Span::at_most(next.since(tick)));
        Span::from_millis(gap.as_millis() / 2).clamp(GRACE_MIN, GRACE_MAX)
    }

    /// As many ticks as one wake-up enqueues, and one more that shows that there are more.
    fn oldest(&self, after: Timestamp, until: Timestamp) -> Vec<Timestamp> {
        self.between(after, until).take(TICKS_MAX + 1).collect()
    }

    fn between(&self, after: Timestamp, until: Timestamp) -> impl Iterator<Item = Timestamp> + '_ {
        self.timing.after(after).take_while(move |tick| *tick <= until)
    }

    /// The newest `max` ticks, found without a walk through all missed ones, which may be years of
    /// seconds.
    fn newest(&self, max: usize, after: Timestamp, until: Timestamp) -> Vec<Timestamp> {
        let mut look_ms = LOOK_MS;
        loop {
            let from = minus(until, look_ms).max(after);
            let mut ticks: Vec<Timestamp> = self.between(from, until).collect();
            if ticks.len() >= max || from == after {
                return ticks.split_off(ticks.len().saturating_sub(max));
            }
            look_ms = look_ms.saturating_mul(LOOK_GROWS);
        }
    }
}

/// A wake-up that changes nothing, and looks again at the end of the doubt.
fn doubted(progress: Progress, by: Span, clock: Timestamp) -> Due {
    let doubted = Span::at_most(clock.since(progress.ahead_since.unwrap_or(clock)));
    let wait = Span::from_millis(DOUBT.as_millis() - doubted.as_millis());
    let ahead = Some(Ahead { by, is_set_back: false });
    Due { run: Vec::new(), skipped: 0, progress, wait: Some(wait), more: false, ahead }
}

/// The last moment that lies more than a span in the past.
fn minus_span(moment: Timestamp, span: Span) -> Timestamp {
    minus(moment, span.as_millis() + 1)
}

pub(crate) fn minus(moment: Timestamp, millis: i64) -> Timestamp {
    Timestamp::from_millis(moment.as_millis().saturating_sub(millis))
}
