//! Patterns that other crons know and this one refuses, with what to write instead; and how the two
//! fields of days combine.

use queue_core::Timestamp;
use queue_schedule::{CronPattern, ScheduleError, Timing, Zone};

fn refusal(pattern: &str) -> String {
    CronPattern::new(pattern).expect_err(pattern).to_string()
}

#[test]
fn words_and_ranges_of_other_crons_are_refused_with_what_to_write() {
    for (pattern, says) in [
        ("@midnight", "write `@daily`, or `0 0 * * *`"),
        ("@Reboot", "when your program starts"),
        ("@every 5m", "`--every 90m`"),
        ("@never", "the words are `@hourly`"),
        ("0 2 * * FRI-MON", "write `FRI-SAT,SUN-MON`"),
        ("0 2 * * sat-mon", "write `sat,SUN-mon`"),
        ("0 2 * * 5-1", "write `5-6,0-1`"),
        ("0 22-2 * * *", "write `22-23,0-2`"),
        ("0 22-0/2 * * *", "write `22-23,0`"),
        ("0 0 1 NOV-FEB *", "write `NOV-DEC,JAN-FEB`"),
        ("30 50-10 2 * * *", "write `50-59,0-10`"),
    ] {
        let text = refusal(pattern);
        assert!(text.contains(says) && text.contains(pattern), "{pattern}: {text}");
    }
}

#[test]
fn a_step_that_is_longer_than_its_field_is_refused_with_an_interval() {
    for (pattern, says) in [
        ("*/90 * * * *", "`--every 90m`"),
        ("*/60 * * * *", "`--every 60m`"),
        ("*/90 * * * * *", "`--every 90s`"),
        ("0 */24 * * *", "`--every 24h`"),
        ("0 0 */31 * *", "`--every 31d`"),
        ("0 0 1 */13 *", "write `JAN`"),
        ("0 0 * * */7", "write `SUN`"),
        ("0-20/30 * * * *", "write `0`"),
        ("0 9-17/12 * * *", "write `9`"),
    ] {
        let refused = CronPattern::new(pattern).expect_err(pattern);
        assert!(matches!(refused, ScheduleError::Step { .. }), "{pattern}: {refused:?}");
        assert!(refused.to_string().contains(says), "{pattern}: {refused}");
    }
    for pattern in
        ["*/59 * * * *", "0 */23 * * *", "0 0 */30 * *", "0 0 1 */11 *", "0 0 * * */6", "0-30/30 * * * *"]
    {
        CronPattern::new(pattern).expect(pattern);
    }
}

/// It goes on as it did: only new ones are refused.
#[test]
fn a_stored_schedule_with_such_a_step_is_read() {
    let stored = r#"{"cron":"*/90 * * * *","zone":"UTC"}"#;
    let timing: Timing = serde_json::from_str(stored).expect("an earlier version wrote it");
    assert_eq!(timing.next(Timestamp::default()), Some(Timestamp::from_millis(3_600_000)));
}

#[test]
fn a_zone_that_is_another_on_each_machine_is_refused() {
    for name in ["localtime", "LocalTime", "posixrules", "Factory", "Etc/Unknown"] {
        let refused = Zone::new(name).expect_err(name);
        assert!(matches!(refused, ScheduleError::LocalZone { .. }), "{name}: {refused:?}");
        assert!(refused.to_string().contains("such as `Europe/Berlin`"), "{refused}");
    }
    for name in ["Europe/Berlin", "Etc/GMT+5", "UTC", "GMT"] {
        Zone::new(name).expect(name);
    }
}

const DAYS: [&str; 6] = ["*", "*/2", "13", "1-31", "13,20", "2-30/4"];
const WEEKDAYS: [&str; 7] = ["*", "*/2", "FRI", "0-6", "MON,FRI", "MON-FRI/2", "+FRI"];

/// Whether a field has a value, computed apart from the parser.
fn has(field: &str, value: u32, first: u32) -> bool {
    let word = |text: &str| match text {
        "MON" => 1,
        "FRI" => 5,
        number => number.parse().expect("a number"),
    };
    field.trim_start_matches('+').split(',').any(|part| {
        let (range, step) = part.split_once('/').map_or((part, 1), |(range, step)| (range, word(step)));
        let (from, to) = match range.split_once('-') {
            Some((from, to)) => (word(from), word(to)),
            None if range == "*" => (first, 31),
            None => (word(range), word(range)),
        };
        (from..=to).contains(&value) && (value - from).is_multiple_of(step)
    })
}

/// The days of 2026 on which a pattern fires, as (day of the year, day of the month, weekday).
fn days_of_2026() -> impl Iterator<Item = (u32, u32, u32)> {
    let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let days = lengths.into_iter().flat_map(|length| 1..=length);
    // The first of January is a Thursday.
    days.zip(0..).map(|(day, number)| (number, day, (number + 4) % 7))
}

fn fires(day: &str, weekday: &str) -> Vec<i64> {
    const START: i64 = 1_767_225_600_000;
    const DAY: i64 = 86_400_000;
    let timing = Timing::cron(&format!("0 0 {day} * {weekday}"), "UTC").expect("valid");
    let ticks = timing.after(Timestamp::from_millis(START - 1)).map(|tick| (tick.as_millis() - START) / DAY);
    ticks.take_while(|day| *day < 365).collect()
}

fn expected(is_met: impl Fn(bool, bool) -> bool, day: &str, weekday: &str) -> Vec<i64> {
    let met = days_of_2026()
        .filter(|(_, of_month, of_week)| is_met(has(day, *of_month, 1), has(weekday, *of_week, 0)));
    met.map(|(number, ..)| i64::from(number)).collect()
}

/// A field is free if it is `*`; Vixie's cron takes every field that begins with `*` as free, and
/// then requires both. So the two differ where one has a step behind a `*` and the other is given.
#[test]
fn days_and_weekdays_combine_as_the_page_says_beside_vixies_cron() {
    for day in DAYS {
        for weekday in WEEKDAYS {
            let ours = fires(day, weekday);
            let both = day == "*" || weekday == "*" || weekday.starts_with('+');
            let rule =
                |of_month: bool, of_week: bool| if both { of_month && of_week } else { of_month || of_week };
            assert_eq!(ours, expected(rule, day, weekday), "{day} {weekday}");
            if weekday.starts_with('+') {
                continue;
            }
            let both = day.starts_with('*') || weekday.starts_with('*');
            let rule =
                |of_month: bool, of_week: bool| if both { of_month && of_week } else { of_month || of_week };
            let has_step = day == "*/2" || weekday == "*/2";
            let differs = has_step && day != "*" && weekday != "*";
            assert_eq!(ours != expected(rule, day, weekday), differs, "{day} {weekday}");
        }
    }
}
