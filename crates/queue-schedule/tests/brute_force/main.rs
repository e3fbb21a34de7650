//! Compares every tick of difficult zones with a walk through all minutes, which shares no code
//! with the crate except the offsets of zones.
//!
//! The default is a year of a few zones. All years of all zones, with the number of compared ticks:
//! `QUEUE_TEST_TICKS=all cargo test --release -p queue-schedule --test brute_force -- --nocapture`.

mod matcher;
mod walk;

use jiff::{Timestamp as Moment, civil::date, tz::TimeZone};
use matcher::Matcher;
use queue_core::Timestamp;
use queue_schedule::Timing;
use walk::Walk;

/// Each zone's difficulty, and the years to compare.
const ZONES: [(&str, i16, i16); 17] = [
    ("Europe/Berlin", 2025, 2031),
    ("America/New_York", 2025, 2031),
    ("America/Santiago", 2025, 2031), // puts the clock forward at midnight, back to 23:00 of the day before
    ("Australia/Lord_Howe", 2025, 2031), // by half an hour
    ("Africa/Casablanca", 2025, 2031), // back for Ramadan, so the change is another each year
    ("Africa/Cairo", 2025, 2031),     // forward at midnight of a Friday, back at midnight
    ("America/Havana", 2025, 2031),   // midnight is missing in spring, and comes twice in autumn
    ("Asia/Gaza", 2025, 2031),        // summer time, and Ramadan within it
    ("America/Nuuk", 2025, 2031),     // changes in the evening before everybody else
    ("Pacific/Chatham", 2025, 2031),  // +12:45, changes at 02:45
    ("America/St_Johns", 2025, 2031), // -3:30
    ("Antarctica/Troll", 2025, 2031), // by two hours
    ("Asia/Kathmandu", 2025, 2031),   // +5:45, never
    ("UTC", 2025, 2031),
    ("Pacific/Apia", 2011, 2012),   // has no 30 December of 2011
    ("Asia/Pyongyang", 2015, 2019), // changes without a summer time
    ("Europe/Dublin", 2025, 2026),  // summer is standard time
];

/// Patterns of minutes or coarser; they cover all of the documented syntax.
const PATTERNS: [&str; 34] = [
    "30 2 * * *",
    "0 0 * * *",
    "30 1,2 * * *",
    "15 0-3 * * *",
    "0-59 2 * * *",
    "5,35 1-3 * * *",
    "59 23 * * *",
    "0 3 * * MON-FRI",
    "0 2 L * *",
    "30 0 15W * *",
    "20 2 1W,31W * *",
    "0 2 LW * *",
    "45 1 * * SUN#L",
    "45 2 * * 5L",
    "30 2 * * SUN#2",
    "0 12 29 2 *",
    "0 0 31 * *",
    "10-50/20 2 1-7 MAR,OCT,NOV *",
    "0 0 1 1 *",
    "30 2 1,15 * SUN",
    "0 2 1-7 * +SUN",
    "30 23 13,L * 5-7",
    "@daily",
    "@weekly",
    "@monthly",
    "@hourly",
    DENSEST,
    "*/30 * * * *",
    "*/20 1-3 * * *",
    "15 */2 * * *",
    "7-59/13 * * APR-OCT SAT,SUN",
    "45 */6 L * FRI",
    "0 */4 */10 * *",
    "*/7 0,2,23 25-31 * 0",
];

/// This pattern takes most of the time, so only a run of all zones compares it.
const DENSEST: &str = "* * * * *";

/// These are compared around the changes alone, since a year has thirty million seconds.
const PATTERNS_OF_SECONDS: [&str; 6] = [
    "30 30 2 * * *",
    "0,20,40 0-59 1-3 * * *",
    "*/10 * * * * *",
    "*/15 30 2 * * *",
    "5 */7 * * * *",
    "59 59 23,1,2 * * *",
];

/// The seconds to compare on either side of a change.
const AROUND: i64 = 4 * 3600;
/// In seconds; a divisor of the hour, so that the moment of the change itself is included.
const ASKED_EVERY: usize = 300;

#[test]
fn the_ticks_are_those_of_a_walk_through_every_minute() {
    let all = std::env::var("QUEUE_TEST_TICKS").is_ok_and(|which| which == "all");
    let (mut minutes, mut seconds) = (0, 0);
    let patterns: Vec<&str> = PATTERNS.into_iter().filter(|pattern| all || *pattern != DENSEST).collect();
    for (zone, from, to) in ZONES.into_iter().filter(|(zone, ..)| all || is_of_the_slice(zone)) {
        let (from, to) = if all { (from, to) } else { (2026, 2027) };
        let of_zone = compare(&patterns, zone, year(from), year(to));
        println!("{zone}: {} ticks of minutes, {} of seconds", of_zone.0, of_zone.1);
        minutes += of_zone.0;
        seconds += of_zone.1;
    }
    println!("the same: {minutes} ticks of minutes, {seconds} of seconds");
    assert!(minutes > 200_000 && seconds > 10_000, "{minutes} and {seconds} prove little");
}

fn is_of_the_slice(zone: &str) -> bool {
    ["America/Santiago", "Australia/Lord_Howe", "Africa/Casablanca"].contains(&zone)
}

/// The number of compared ticks, of patterns of minutes and of seconds.
fn compare(patterns: &[&str], name: &str, from: i64, to: i64) -> (usize, usize) {
    let zone = TimeZone::get(name).expect("a known zone");
    let walk = Walk::new(&zone, from, to, 60);
    let changes = walk.changes();
    let minutes = patterns.iter().map(|pattern| compare_one(pattern, name, &walk, &changes)).sum();
    let of_a_change = |change: i64| -> usize {
        let walk = Walk::new(&zone, change - AROUND, change + AROUND, 1);
        PATTERNS_OF_SECONDS.iter().map(|pattern| compare_one(pattern, name, &walk, &[change])).sum()
    };
    (minutes, changes.iter().map(|change| of_a_change(*change)).sum())
}

fn compare_one(pattern: &str, zone: &str, walk: &Walk, changes: &[i64]) -> usize {
    let matcher = Matcher::new(pattern);
    assert_eq!(matcher.has_seconds, walk.step == 1, "{pattern} would be walked in steps of another length");
    let expected = walk.ticks(&matcher);
    let timing = Timing::cron(pattern, zone).expect(pattern);
    let millis = |second: i64| Timestamp::from_millis(second * 1000);
    let before = Timestamp::from_millis(walk.from * 1000 - 1);
    let mut ticks = timing.after(before).take_while(|tick| *tick < millis(walk.to));
    let mut last = before;
    for second in &expected {
        let (wanted, tick) = (millis(*second), ticks.next());
        assert_eq!(tick, Some(wanted), "`{pattern}` in {zone} after {last}, which is {}", shown(last));
        assert!(wanted > last, "`{pattern}` in {zone}: {wanted} is no later than {last}");
        last = wanted;
    }
    let extra = ticks.next();
    assert_eq!(extra, None, "`{pattern}` in {zone} has one more after {last}, which is {}", shown(last));
    for change in changes {
        ask_from_everywhere(&timing, &expected, *change);
    }
    expected.len()
}

/// A schedule does not only go from tick to tick: it is made or woken at any moment, also within a
/// repeated hour.
fn ask_from_everywhere(timing: &Timing, expected: &[i64], change: i64) {
    for second in (change - AROUND..change + AROUND).step_by(ASKED_EVERY) {
        let Some(next) = expected.get(expected.partition_point(|tick| *tick <= second)) else { return };
        for millis in [second * 1000, second * 1000 + 999] {
            let (after, wanted) = (Timestamp::from_millis(millis), Timestamp::from_millis(next * 1000));
            assert_eq!(timing.next(after), Some(wanted), "{timing} after {}", shown(after));
        }
    }
}

fn shown(at: Timestamp) -> Moment {
    Moment::from_millisecond(at.as_millis()).expect("of this age")
}

fn year(year: i16) -> i64 {
    date(year, 1, 1).to_zoned(TimeZone::UTC).expect("of this age").timestamp().as_second()
}
