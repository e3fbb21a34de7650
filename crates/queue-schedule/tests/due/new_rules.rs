//! New rules of a time zone, which a machine gets while schedules sleep by the old ones.

use crate::given::{DAY, HOUR, MINUTE, SKIP, all, at, spec};
use queue_core::{Span, Timestamp};
use queue_schedule::{ScheduleSpec, Timing};

fn daily(zone: &str) -> ScheduleSpec {
    spec(Timing::cron("0 9 * * *", zone).expect(zone), SKIP)
}

/// The ticks of the first day, on which the rules change in between.
fn ticks_over_an_update(old: &ScheduleSpec, new: &ScheduleSpec, update: Timestamp) -> Vec<Timestamp> {
    let (mut clock, mut ticks) = (at(0), Vec::new());
    let mut due = old.due(None, clock);
    while let Some(wait) = due.wait
        && clock + wait < at(DAY)
    {
        clock = clock + wait;
        let rules = if clock < update { old } else { new };
        due = rules.due(Some(due.progress), clock);
        ticks.extend(&due.run);
    }
    ticks
}

#[test]
fn a_tick_that_new_rules_move_earlier_runs_within_its_grace() {
    // 9:00 of one is 8:00 UTC, that of the other is 6:00 UTC.
    let (old, new) = (daily("Africa/Lagos"), daily("Africa/Nairobi"));
    for minute in [1, 60, 359, 360] {
        let ran = ticks_over_an_update(&old, &new, at(minute * MINUTE));
        assert_eq!(ran, all([6 * HOUR]), "new rules after {minute} minutes");
    }
}

#[test]
fn a_tick_that_new_rules_move_later_runs_once_and_not_before_it() {
    let (old, new) = (daily("Africa/Nairobi"), daily("Africa/Lagos"));
    assert_eq!(ticks_over_an_update(&old, &new, at(HOUR)), all([8 * HOUR]));
}

#[test]
fn what_no_new_rules_can_move_sleeps_until_its_tick() {
    let whole_day = Timing::every(Span::from_millis(DAY).as_duration()).expect("a period");
    let days = Timing::at([at(40 * DAY)]).expect("a moment");
    for (timing, wait) in [(whole_day, DAY), (days, 40 * DAY)] {
        assert_eq!(spec(timing, SKIP).wait(at(0), at(0)), Some(Span::from_millis(wait)));
    }
    assert_eq!(daily("UTC").wait(at(0), at(0)), Some(Span::from_millis(9 * HOUR)));
}
