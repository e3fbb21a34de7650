//! Spread and jitter: what they delay, and that every process computes the same.

use crate::given::{DAY, EACH, HOUR, MINUTE, SKIP, all, at, cron};
use queue_core::Span;

/// Golden numbers: programs of two versions share a schedule, so another release must not move it.
#[test]
fn spread_and_jitter_are_the_same_for_everybody_and_for_ever() {
    let mut daily = cron("0 0 * * *", SKIP);
    (daily.spread, daily.jitter) = (Span::from_millis(HOUR), Span::from_millis(MINUTE));
    let delays = [DAY, 2 * DAY].map(|tick| daily.tick_job(at(tick)).expect("a job").delay.as_millis());
    assert_eq!((daily.shift().as_millis(), delays), (1_855_471, [55_550, 21_603]));
}

#[test]
fn a_spread_moves_the_wake_ups_and_leaves_the_ticks() {
    let mut daily = cron("0 0 * * *", EACH);
    daily.spread = Span::from_millis(HOUR);
    let shift = daily.shift().as_millis();
    assert!(shift > 0 && shift < HOUR, "{shift}");
    let early = daily.due(None, at(DAY + shift - 1));
    assert_eq!((early.run, early.wait), (all([]), Some(Span::from_millis(1))));
    let in_time = daily.due(None, at(DAY + shift));
    assert_eq!((in_time.run, in_time.wait), (all([DAY]), Some(Span::from_millis(DAY))));
    assert_eq!(daily.tick_id(at(DAY)).expect("an id").as_str(), "nightly@2026-03-02T00:00:00Z");
}

#[test]
fn a_tick_is_not_late_by_the_spread() {
    let mut daily = cron("0 0 * * *", SKIP);
    daily.spread = Span::from_millis(20 * HOUR);
    let shift = daily.shift().as_millis();
    assert!(shift > HOUR, "{shift} proves nothing");
    assert_eq!(daily.due(None, at(DAY + shift + HOUR)).run, all([DAY]), "late by the grace");
    assert_eq!(daily.due(None, at(DAY + shift + HOUR + 1)).run, all([]), "and by more");
}

#[test]
fn jitter_is_of_the_tick_and_delays_nothing_but_its_job() {
    let mut hourly = cron("0 * * * *", EACH);
    hourly.jitter = Span::from_millis(HOUR);
    let due = hourly.due(None, at(3 * HOUR));
    assert_eq!((&due.run, due.wait), (&all([HOUR, 2 * HOUR, 3 * HOUR]), Some(Span::from_millis(HOUR))));
    let delays: Vec<Span> = due.run.iter().map(|tick| hourly.tick_job(*tick).expect("a job").delay).collect();
    assert!(delays.iter().all(|delay| *delay < hourly.jitter), "{delays:?}");
    assert!(delays[0] != delays[1] && delays[1] != delays[2], "{delays:?}");
}

#[test]
fn two_schedules_stand_apart() {
    let mut one = cron("0 0 * * *", SKIP);
    (one.spread, one.jitter) = (Span::from_millis(HOUR), Span::from_millis(HOUR));
    let mut other = one.clone();
    other.name = "weekly".to_owned();
    assert_ne!(one.shift(), other.shift());
    let delay = |spec: &queue_schedule::ScheduleSpec| spec.tick_job(at(DAY)).expect("a job").delay;
    assert_ne!(delay(&one), delay(&other));
}
