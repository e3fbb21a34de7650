//! Progress that lies ahead of the clock: a clock was ahead for a moment, or is behind now.

use crate::given::{DAY, EACH, HOUR, MINUTE, SECOND, SKIP, all, at, cron, every};
use queue_core::{Span, Timestamp};
use queue_schedule::{AHEAD_MAX, Ahead, DOUBT, Due, Progress, ScheduleSpec};

fn dealt_until(millis: i64) -> Progress {
    Progress::new(at(millis), Some(at(millis)))
}

/// Wakes the schedule as often as it asks, until the clock is there.
fn ticks_until(spec: &ScheduleSpec, begin: &Due, mut clock: Timestamp, end: Timestamp) -> Vec<Timestamp> {
    let (mut due, mut ticks) = (begin.clone(), Vec::new());
    while let Some(wait) = due.wait
        && clock + wait <= end
    {
        clock = clock + wait;
        due = spec.due(Some(due.progress), clock);
        ticks.extend(&due.run);
    }
    ticks
}

#[test]
fn progress_beyond_what_the_clock_can_reach_is_set_back_after_a_second_look() {
    let hourly = cron("0 * * * *", SKIP);
    let doubted = hourly.due(Some(dealt_until(40 * DAY)), at(MINUTE));
    assert_eq!((&doubted.run, doubted.wait), (&all([]), Some(DOUBT)));
    assert_eq!(doubted.progress.dealt, at(40 * DAY), "one look changes nothing");
    let lead = Span::from_millis(40 * DAY - MINUTE);
    assert_eq!(doubted.ahead, Some(Ahead { by: lead, is_set_back: false }));
    let set_back = hourly.due(Some(doubted.progress), at(HOUR + MINUTE));
    assert_eq!(set_back.run, all([HOUR]), "from the first look on, by the policy for missed ticks");
    assert_eq!((set_back.progress.dealt, set_back.progress.ahead_since), (at(HOUR + MINUTE), None));
    let left = Span::from_millis(lead.as_millis() - HOUR);
    assert_eq!(set_back.ahead, Some(Ahead { by: left, is_set_back: true }));
    assert_eq!(ticks_until(&hourly, &set_back, at(HOUR + MINUTE), at(3 * HOUR)), all([2 * HOUR, 3 * HOUR]));
}

#[test]
fn a_schedule_that_is_edited_while_it_is_ahead_sleeps_no_longer() {
    assert_eq!(cron("0 * * * *", SKIP).wait(at(40 * DAY), at(0)), Some(DOUBT));
}

#[test]
fn a_look_that_comes_too_early_asks_for_the_rest_of_the_wait() {
    let hourly = cron("0 * * * *", EACH);
    let first = hourly.due(Some(dealt_until(DAY)), at(0));
    let early = hourly.due(Some(first.progress), at(HOUR - MINUTE));
    assert_eq!((early.progress, early.wait), (first.progress, Some(Span::from_millis(MINUTE))));
    let back = hourly.due(Some(first.progress), at(-DAY));
    assert_eq!(back.progress.ahead_since, Some(at(-DAY)), "a clock that goes back is doubted anew");
}

/// A machine without a battery for its clock begins in 1970, and is right a minute later.
#[test]
fn a_clock_that_is_behind_for_a_moment_brings_no_tick_again() {
    let hourly = cron("0 * * * *", EACH);
    let in_1970 = hourly.due(Some(dealt_until(10 * HOUR)), Timestamp::from_millis(5 * SECOND));
    assert_eq!((&in_1970.run, in_1970.wait), (&all([]), Some(DOUBT)));
    let right = hourly.due(Some(in_1970.progress), at(11 * HOUR));
    assert_eq!((right.run, right.ahead), (all([11 * HOUR]), None));
    assert_eq!(right.progress.ahead_since, None);
}

#[test]
fn progress_within_the_longest_step_or_an_hour_stays() {
    let nightly = cron("0 2 * * *", EACH);
    let seconds = every(SECOND, EACH);
    let hour = AHEAD_MAX.as_millis();
    for (spec, most) in [(&nightly, DAY), (&seconds, hour)] {
        let within = spec.due(Some(dealt_until(most)), at(0));
        assert_eq!((within.ahead, within.progress), (None, dealt_until(most)));
        assert!(spec.due(Some(dealt_until(most + 1)), at(0)).ahead.is_some(), "{most}");
    }
}

#[test]
fn the_longest_step_is_that_of_the_ticks_to_come() {
    let working_days = cron("0 9 * * MON-FRI", EACH);
    let weekend = 3 * DAY;
    assert!(working_days.due(Some(dealt_until(weekend)), at(0)).ahead.is_none());
    assert!(working_days.due(Some(dealt_until(weekend + 1)), at(0)).ahead.is_some());
}
