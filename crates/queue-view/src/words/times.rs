//! Times and lengths of time.

use super::number;
use queue_core::Timestamp;
use std::time::{Duration, UNIX_EPOCH};

/// The last moment of the year 9999, in milliseconds: the last that can be written as a date.
const DATE_MAX_MS: i64 = 253_402_300_799_000;
/// A longer time is for ever: a parked job is put off by centuries.
const FOR_EVER: Duration = Duration::from_secs(36_500 * 86_400);

/// A point in time: how long ago or ahead in words, and the time itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Such as `3 min ago` or `in 2 h`.
    pub relative: String,
    /// Such as `2026-11-23 20:14:22 UTC`.
    pub absolute: String,
    /// For programs: the [`date`].
    pub stamp: String,
}

/// A point in time as seen at another one.
pub fn moment(at: Timestamp, now: Timestamp) -> Moment {
    let stamp = date(at);
    let absolute = match stamp.get(..19) {
        Some(text) if (0..=DATE_MAX_MS).contains(&at.as_millis()) => {
            format!("{} UTC", text.replace('T', " "))
        }
        _ => "far away".to_owned(),
    };
    Moment { relative: relative(at, now), absolute, stamp }
}

fn relative(at: Timestamp, now: Timestamp) -> String {
    if at > now {
        let ahead = at.since(now);
        return if ahead > FOR_EVER { "never".to_owned() } else { format!("in {}", age(ahead)) };
    }
    match now.since(at) {
        ago if ago < Duration::from_secs(1) => "just now".to_owned(),
        ago if ago > FOR_EVER => "long ago".to_owned(),
        ago => format!("{} ago", age(ago)),
    }
}

/// A point in time in UTC, to the second: `2026-11-23T20:14:22Z`. Times before 1970 and after the
/// year 9999 become the nearest one between.
pub fn date(at: Timestamp) -> String {
    let millis = at.as_millis().clamp(0, DATE_MAX_MS).unsigned_abs();
    humantime::format_rfc3339_seconds(UNIX_EPOCH + Duration::from_millis(millis)).to_string()
}

/// A length of time in its one or two largest units: `80 ms`, `12 s`, `3 h 20 min`.
pub fn age(length: Duration) -> String {
    let seconds = length.as_secs();
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60);
    match seconds {
        0 => format!("{} ms", length.as_millis()),
        1..60 => format!("{seconds} s"),
        60..600 if !seconds.is_multiple_of(60) => format!("{minutes} min {} s", seconds % 60),
        60..3_600 => format!("{minutes} min"),
        3_600..86_400 if minutes > 0 => format!("{hours} h {minutes} min"),
        3_600..86_400 => format!("{hours} h"),
        86_400..864_000 if hours > 0 => format!("{days} d {hours} h"),
        _ if length > FOR_EVER => "for ever".to_owned(),
        _ => format!("{} d", number(days)),
    }
}

/// A length of time as JSON has it, in whole milliseconds.
pub fn millis(length: Duration) -> u64 {
    u64::try_from(length.as_millis()).unwrap_or(u64::MAX)
}

/// A length of time as measured: three digits, from microseconds on. Whole milliseconds, as clocks
/// of stores have them, have no digit behind the point.
pub fn length(length: Duration) -> String {
    let micros = length.as_micros();
    let (value, unit) = match micros {
        0..1_000 => return format!("{micros} µs"),
        1_000..1_000_000 if micros.is_multiple_of(1_000) => return format!("{} ms", micros / 1_000),
        1_000..1_000_000 => (length.as_secs_f64() * 1e3, "ms"),
        1_000_000..60_000_000 => (length.as_secs_f64(), "s"),
        _ => return age(length),
    };
    let digits = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
    format!("{value:.digits$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_have_their_largest_units_however_long_they_are() {
        let second = Duration::from_secs;
        for (time, words) in [
            (Duration::from_millis(12), "12 ms"),
            (second(59), "59 s"),
            (second(61), "1 min 1 s"),
            (second(660), "11 min"),
            (second(7_260), "2 h 1 min"),
            (second(90_000), "1 d 1 h"),
            (second(86_400 * 40), "40 d"),
            (Duration::MAX, "for ever"),
        ] {
            assert_eq!(age(time), words);
        }
    }

    #[test]
    fn a_length_has_the_digits_that_were_measured() {
        let micros = Duration::from_micros;
        for (time, words) in [
            (micros(7), "7 µs"),
            (micros(5_000), "5 ms"),
            (micros(5_040), "5.04 ms"),
            (micros(12_340), "12.3 ms"),
            (micros(97_000), "97 ms"),
            (micros(100_000), "100 ms"),
            (micros(1_234_000), "1.23 s"),
        ] {
            assert_eq!(length(time), words);
        }
    }

    #[test]
    fn any_time_that_a_store_can_hold_is_shown() {
        let at = Timestamp::from_millis;
        assert_eq!(moment(at(1_763_928_862_000), at(1_763_928_865_000)).absolute, "2025-11-23 20:14:22 UTC");
        assert_eq!(moment(at(5_000), at(2_000)).relative, "in 3 s");
        assert_eq!(moment(at(i64::MAX), at(0)).relative, "never");
        for millis in [i64::MIN, -1, i64::MAX] {
            let shown = moment(at(millis), at(0));
            assert!(!shown.relative.is_empty());
            assert_eq!(shown.absolute, "far away");
        }
    }

    #[test]
    fn moments_are_written_as_dates() {
        let shown = [0, 1_763_911_380_000, i64::MAX].map(|millis| date(Timestamp::from_millis(millis)));
        assert_eq!(shown, ["1970-01-01T00:00:00Z", "2025-11-23T15:23:00Z", "9999-12-31T23:59:59Z"]);
    }
}
