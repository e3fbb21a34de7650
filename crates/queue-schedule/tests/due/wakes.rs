//! Single wake-ups: the first tick, long backlogs, clocks that go back, and the last tick.

use crate::given::{DAY, EACH, HOUR, MINUTE, SECOND, SKIP, START, all, at, cron, every, skip, spec};
use queue_core::Span;
use queue_schedule::{Missed, Progress, TICKS_MAX, Timing};

#[test]
fn a_wake_up_before_the_first_tick_waits_for_it() {
    let due = cron("0 3 * * *", SKIP).due(None, at(HOUR));
    assert_eq!((due.run, due.skipped), (all([]), 0));
    assert_eq!(due.wait, Some(Span::from_millis(2 * HOUR)));
    assert_eq!(due.progress, Progress::new(at(HOUR), None));
}

#[test]
fn a_tick_at_the_moment_of_the_schedule_itself_is_none_of_its() {
    let due = cron("0 0 * * *", EACH).due(None, START);
    assert_eq!((due.run, due.wait), (all([]), Some(Span::from_millis(DAY))));
}

#[test]
fn a_tick_is_run_at_its_moment_and_not_a_millisecond_earlier() {
    let daily = cron("0 0 * * *", EACH);
    let early = daily.due(None, at(DAY - 1));
    assert_eq!((early.run, early.wait), (all([]), Some(Span::from_millis(1))));
    let in_time = daily.due(None, at(DAY));
    assert_eq!((in_time.run, in_time.wait), (all([DAY]), Some(Span::from_millis(DAY))));
}

#[test]
fn more_ticks_than_a_wake_up_enqueues_go_on_at_once() {
    let backlog = 2 * TICKS_MAX + TICKS_MAX / 2;
    let clock = at(i64::try_from(backlog).expect("a few") * SECOND);
    for missed in [EACH, skip(DAY)] {
        let seconds = every(SECOND, missed);
        let (mut progress, mut ticks) = (None, Vec::new());
        for (runs, wait) in [(TICKS_MAX, 0), (TICKS_MAX, 0), (TICKS_MAX / 2, SECOND)] {
            let due = seconds.due(progress, clock);
            assert_eq!((due.run.len(), due.skipped), (runs, 0), "{missed:?}");
            assert_eq!(due.wait, Some(Span::from_millis(wait)), "{missed:?}");
            ticks.extend(due.run);
            progress = Some(due.progress);
        }
        assert_eq!(ticks, all((1..=i64::try_from(backlog).expect("a few")).map(|second| second * SECOND)));
    }
}

#[test]
fn as_many_ticks_as_a_wake_up_enqueues_are_no_cut() {
    let ticks = i64::try_from(TICKS_MAX).expect("a few");
    let due = every(SECOND, EACH).due(None, at(ticks * SECOND + 1));
    assert_eq!((due.run.len(), due.progress.dealt), (TICKS_MAX, at(ticks * SECOND + 1)));
}

#[test]
fn a_cut_counts_what_the_policy_skipped_before_it() {
    let ticks = i64::try_from(TICKS_MAX).expect("a few");
    let schedule = every(SECOND, Missed::All { max: TICKS_MAX + 5 });
    let due = schedule.due(None, at((ticks + 15) * SECOND));
    assert_eq!((due.run.first(), due.run.len(), due.skipped), (Some(&at(11 * SECOND)), TICKS_MAX, 10));
    let rest = schedule.due(Some(due.progress), at((ticks + 15) * SECOND));
    assert_eq!((rest.run.len(), rest.skipped), (5, 0));
}

#[test]
fn a_clock_that_is_put_back_repeats_nothing_and_waits_for_what_is_left() {
    let hourly = cron("0 * * * *", EACH);
    let ahead = hourly.due(None, at(5 * HOUR + MINUTE));
    assert_eq!(ahead.run.len(), 5);
    let back = hourly.due(Some(ahead.progress), at(4 * HOUR + MINUTE));
    assert_eq!((back.run, back.skipped, back.progress), (all([]), 0, ahead.progress));
    assert_eq!(back.wait, Some(Span::from_millis(2 * HOUR - MINUTE)), "until the sixth hour");
}

#[test]
fn a_schedule_that_is_over_is_not_woken_again() {
    let twice = spec(Timing::at([at(DAY), at(HOUR), at(DAY)]).expect("moments"), EACH);
    let first = twice.due(None, at(HOUR));
    assert_eq!((first.run, first.wait), (all([HOUR]), Some(Span::from_millis(DAY - HOUR))));
    let last = twice.due(Some(first.progress), at(DAY));
    assert_eq!((last.run, last.wait), (all([DAY]), None));
    let again = twice.due(Some(last.progress), at(2 * DAY));
    assert_eq!((again.run, again.skipped, again.wait), (all([]), 0, None));
}

#[test]
fn an_interval_counts_from_its_first_tick() {
    let from = at(HOUR + 7);
    let period = Span::from_millis(1500);
    let schedule = spec(Timing::Every { period, from }, EACH);
    let due = schedule.due(None, at(HOUR + 7 + 3000));
    assert_eq!(due.run, all([HOUR + 7, HOUR + 1507, HOUR + 3007]));
}
