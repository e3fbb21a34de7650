//! Times and lengths of time.

use queue_core::Timestamp;
use std::time::Duration;

/// A point in time: how long ago or ahead in words, and the time itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Moment {
    /// Such as `3 min ago` or `in 2 h`.
    pub(crate) relative: String,
    /// Such as `2026-11-23 20:14:22 UTC`.
    pub(crate) absolute: String,
    /// For programs.
    pub(crate) stamp: String,
}

/// A point in time as seen at another one.
pub(crate) fn moment(at: Timestamp, now: Timestamp) -> Moment {
    let relative = if at <= now {
        let ago = now.since(at);
        if ago < Duration::from_secs(1) { "just now".to_owned() } else { format!("{} ago", age(ago)) }
    } else {
        format!("in {}", age(at.since(now)))
    };
    let stamp =
        jiff::Timestamp::from_millisecond(at.as_millis()).map_or_else(|_| String::new(), |at| at.to_string());
    let absolute = match stamp.get(..19) {
        Some(text) if !stamp.starts_with('-') => format!("{} UTC", text.replace('T', " ")),
        _ => "far away".to_owned(),
    };
    Moment { relative, absolute, stamp }
}

/// A length of time in its one or two largest units.
pub(crate) fn age(length: Duration) -> String {
    let seconds = length.as_secs();
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60);
    match seconds {
        0..1 => format!("{} ms", length.as_millis()),
        1..60 => format!("{seconds} s"),
        60..600 if !seconds.is_multiple_of(60) => format!("{minutes} min {} s", seconds % 60),
        60..3_600 => format!("{minutes} min"),
        3_600..86_400 if minutes > 0 => format!("{hours} h {minutes} min"),
        3_600..86_400 => format!("{hours} h"),
        86_400..864_000 if hours > 0 => format!("{days} d {hours} h"),
        _ if days > 36_500 => "for ever".to_owned(),
        _ => format!("{} d", super::number(days)),
    }
}

/// A length of time as measured: three digits, from microseconds on.
pub(crate) fn length(length: Duration) -> String {
    let micros = length.as_micros();
    let (value, unit) = match micros {
        0..1_000 => return format!("{micros} µs"),
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
    fn times_are_told_in_their_largest_units_however_far_away() {
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
        assert_eq!(length(Duration::from_micros(7)), "7 µs");
        assert_eq!(length(Duration::from_micros(12_340)), "12.3 ms");
        assert_eq!(length(Duration::from_millis(1_234)), "1.23 s");
    }

    #[test]
    fn any_time_that_a_store_can_hold_is_shown() {
        let at = Timestamp::from_millis;
        assert_eq!(moment(at(1_763_928_862_000), at(1_763_928_865_000)).absolute, "2025-11-23 20:14:22 UTC");
        assert_eq!(moment(at(5_000), at(2_000)).relative, "in 3 s");
        for millis in [i64::MIN, -1, i64::MAX] {
            assert!(!moment(at(millis), at(0)).relative.is_empty());
        }
    }
}
