//! Lengths of time and counted nouns as short text.

use std::time::Duration;

/// A length of time in its largest unit, followed by the next smaller one if that is not zero: `3h
/// 20m`, `12s`, `80ms`.
pub(crate) fn age(length: Duration) -> String {
    let seconds = length.as_secs();
    match seconds {
        0 => format!("{}ms", length.as_millis()),
        1..60 => format!("{seconds}s"),
        60..3600 => two(seconds / 60, "m", seconds % 60, "s"),
        3600..86_400 => two(seconds / 3600, "h", seconds % 3600 / 60, "m"),
        _ => two(seconds / 86_400, "d", seconds % 86_400 / 3600, "h"),
    }
}

/// A length of time to two or three digits: `0.4ms`, `80ms`, `1.5s`, `3h 20m`.
pub(crate) fn short_time(length: Duration) -> String {
    match length.as_millis() {
        0 => format!("{:.1}ms", length.as_secs_f64() * 1000.0),
        1000..10_000 => format!("{:.1}s", length.as_secs_f64()),
        _ => age(length),
    }
}

fn two(large: u64, large_unit: &str, small: u64, small_unit: &str) -> String {
    if small == 0 {
        format!("{large}{large_unit}")
    } else {
        format!("{large}{large_unit} {small}{small_unit}")
    }
}

/// `1 job`, `2 jobs`.
pub(crate) fn plural(count: u64, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

#[cfg(test)]
mod tests {
    use super::{age, short_time};
    use std::time::Duration;

    #[test]
    fn short_times_have_a_digit_more_where_it_says_something() {
        for (micros, text) in
            [(0, "0.0ms"), (420, "0.4ms"), (80_900, "80ms"), (1_520_000, "1.5s"), (12_900_000, "12s")]
        {
            assert_eq!(short_time(Duration::from_micros(micros)), text);
        }
    }

    #[test]
    fn lengths_are_short_to_read() {
        for (millis, text) in
            [(80, "80ms"), (12_900, "12s"), (60_000, "1m"), (12_000_000, "3h 20m"), (90_000_000, "1d 1h")]
        {
            assert_eq!(age(Duration::from_millis(millis)), text);
        }
    }
}
