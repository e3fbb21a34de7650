//! Late ticks: the grace of a tick, and the policies for ticks that were missed.

use crate::given::{DAY, EACH, HOUR, MINUTE, SECOND, SKIP, all, at, cron, every, skip, spec};
use queue_core::{Span, Timestamp};
use queue_schedule::{CATCH_UP_MAX, Missed, Progress, ScheduleSpec, TICKS_MAX, Timing};

fn run_at(spec: &ScheduleSpec, millis: i64) -> Vec<Timestamp> {
    spec.due(None, at(millis)).run
}

#[test]
fn a_tick_runs_up_to_the_last_millisecond_of_a_given_grace() {
    for grace in [0, 1, 5 * SECOND, DAY] {
        let daily = cron("0 0 * * *", skip(grace));
        assert_eq!(run_at(&daily, DAY + grace).first(), Some(&at(DAY)), "{grace} ms late");
        assert!(!run_at(&daily, DAY + grace + 1).contains(&at(DAY)), "{} ms late", grace + 1);
    }
}

#[test]
fn the_default_grace_is_half_the_time_to_the_next_tick_within_bounds() {
    let bounds = [
        ("0 0 * * *", DAY, HOUR),
        ("0 * * * *", HOUR, 30 * MINUTE),
        ("* * * * *", MINUTE, 30 * SECOND),
        ("*/30 * * * * *", 30 * SECOND, 15 * SECOND),
    ];
    for (pattern, tick, grace) in bounds {
        let schedule = cron(pattern, SKIP);
        assert_eq!(run_at(&schedule, tick + grace), all([tick]), "`{pattern}` in time");
        assert_eq!(run_at(&schedule, tick + grace + 1), all([]), "`{pattern}` too late");
    }
}

#[test]
fn the_grace_of_a_tick_is_by_the_tick_after_it_and_not_the_one_before() {
    let schedule = cron("0,10 3 * * *", SKIP);
    assert_eq!(run_at(&schedule, 3 * HOUR + 5 * MINUTE), all([3 * HOUR]));
    assert_eq!(run_at(&schedule, 3 * HOUR + 5 * MINUTE + 1), all([]));
    let second = 3 * HOUR + 10 * MINUTE;
    assert_eq!(run_at(&schedule, second + HOUR), all([second]));
    assert_eq!(run_at(&schedule, second + HOUR + 1), all([]));
}

#[test]
fn the_last_of_all_ticks_has_the_longest_grace() {
    let once = spec(Timing::at([at(DAY)]).expect("a moment"), SKIP);
    assert_eq!(run_at(&once, DAY + HOUR), all([DAY]));
    assert_eq!(run_at(&once, DAY + HOUR + 1), all([]));
}

#[test]
fn ticks_of_seconds_have_ten_seconds() {
    let ticks = cron("* * * * * *", SKIP).due(None, at(HOUR));
    assert_eq!(ticks.run, all((3590..=3600).map(|second| second * SECOND)));
    assert_eq!(ticks.skipped, TICKS_MAX, "counted no further");
}

#[test]
fn the_newest_runs_once_and_the_others_are_counted() {
    let due = cron("0 0 * * *", Missed::Latest).due(None, at(5 * DAY + 23 * HOUR));
    assert_eq!((due.run, due.skipped), (all([5 * DAY]), 4));
    assert_eq!(due.progress.ran, Some(at(5 * DAY)));
    assert_eq!(due.progress.dealt, at(5 * DAY + 23 * HOUR));
    assert_eq!(due.wait, Some(Span::from_millis(HOUR)));
}

#[test]
fn so_many_of_the_newest_are_made_up_for_oldest_first() {
    let due = cron("0 0 * * *", Missed::All { max: 3 }).due(None, at(10 * DAY));
    assert_eq!((due.run, due.skipped), (all([8 * DAY, 9 * DAY, 10 * DAY]), 7));
    let dealt_with = Progress::new(at(8 * DAY), None);
    let fewer = cron("0 0 * * *", Missed::All { max: 3 }).due(Some(dealt_with), at(10 * DAY));
    assert_eq!((fewer.run, fewer.skipped), (all([9 * DAY, 10 * DAY]), 0));
}

#[test]
fn skipped_ticks_leave_the_last_that_ran_as_it_was() {
    let hourly = cron("0 * * * *", skip(0));
    let first = hourly.due(None, at(HOUR));
    let second = hourly.due(Some(first.progress), at(2 * HOUR + 1));
    assert_eq!((second.run, second.skipped), (all([]), 1));
    assert_eq!(second.progress.ran, Some(at(HOUR)));
}

#[test]
fn a_century_of_missed_seconds_is_not_walked_through() {
    let century = 36_500 * DAY;
    for (missed, runs) in [(Missed::Latest, 1), (SKIP, 11), (Missed::All { max: 100 }, 100)] {
        let due = cron("* * * * * *", missed).due(None, at(century));
        assert_eq!((due.run.len(), due.skipped), (runs, TICKS_MAX), "{missed:?}");
        assert_eq!(due.run.last(), Some(&at(century)), "{missed:?}");
    }
    let in_grace = cron("* * * * * *", skip(century)).due(None, at(century));
    assert_eq!((in_grace.run.len(), in_grace.skipped), (TICKS_MAX, 0));
}

#[test]
fn a_schedule_makes_up_for_no_more_than_the_most() {
    let most = i64::try_from(CATCH_UP_MAX).expect("a few");
    let due = every(1, EACH).due(None, at(DAY));
    assert_eq!(due.run.first(), Some(&at(DAY - most + 1)));
    assert_eq!((due.run.len(), due.skipped), (TICKS_MAX, TICKS_MAX));
}
