//! The nights on which Berlin changes its clocks: 2026-03-29, when 02:00 to 03:00 is skipped, and
//! 2026-10-25, when it comes twice. `brute_force` compares all zones and difficult patterns; here
//! each rule has a test of its own.

use queue_core::Timestamp;
use queue_schedule::{Tick, Timing};

/// The ticks from one moment until another, both in UTC.
fn ticks(pattern: &str, from: &str, until: &str) -> Vec<String> {
    let moment = |text: &str| {
        let moment: jiff::Timestamp = text.parse().expect("a moment");
        Timestamp::from_millis(moment.as_millisecond())
    };
    let timing = Timing::cron(pattern, "Europe/Berlin").expect(pattern);
    let before = Timestamp::from_millis(moment(from).as_millis() - 1);
    let ticks = timing.after(before).take_while(|tick| *tick <= moment(until));
    ticks.map(|tick| Tick::from(tick).to_string()).collect()
}

#[test]
fn a_time_that_spring_skips_runs_once_at_the_end_of_the_gap() {
    let ran = ticks("30 2 * * *", "2026-03-28T00:00Z", "2026-03-30T12:00Z");
    assert_eq!(ran, ["2026-03-28T01:30:00Z", "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"]);
}

#[test]
fn times_of_one_gap_run_together_once() {
    let ran = ticks("0,20,40 2 * * *", "2026-03-29T00:00Z", "2026-03-30T00:00Z");
    assert_eq!(ran, ["2026-03-29T01:00:00Z", "2026-03-30T00:00:00Z"]);
}

#[test]
fn a_time_that_autumn_repeats_runs_in_its_first_pass_alone() {
    let ran = ticks("30 2 * * *", "2026-10-24T12:00Z", "2026-10-26T12:00Z");
    assert_eq!(ran, ["2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"]);
}

#[test]
fn an_interval_runs_in_both_passes_of_an_hour() {
    let ran = ticks("*/30 2 * * *", "2026-10-25T00:00Z", "2026-10-25T12:00Z");
    let passes =
        ["2026-10-25T00:00:00Z", "2026-10-25T00:30:00Z", "2026-10-25T01:00:00Z", "2026-10-25T01:30:00Z"];
    assert_eq!(ran, passes);
}

#[test]
fn an_interval_does_not_make_up_for_an_hour_that_is_skipped() {
    assert_eq!(ticks("*/30 2 * * *", "2026-03-29T00:00Z", "2026-03-29T12:00Z"), [""; 0]);
    let ran = ticks("*/30 1-3 * * *", "2026-03-29T00:00Z", "2026-03-29T12:00Z");
    let both =
        ["2026-03-29T00:00:00Z", "2026-03-29T00:30:00Z", "2026-03-29T01:00:00Z", "2026-03-29T01:30:00Z"];
    assert_eq!(ran, both);
}
