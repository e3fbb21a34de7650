//! Numbers for people.

/// A dash where there is none.
pub(super) const NONE: &str = "–";

/// Without a fraction, with a comma at each thousand.
pub(super) fn whole(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Microseconds as milliseconds.
#[expect(clippy::cast_precision_loss, reason = "people read no more than 53 bits")]
pub(super) fn ms_of_us(us: u64) -> f64 {
    us as f64 / 1000.0
}

/// With three digits that count, at any size.
pub(super) fn ms(ms: f64) -> String {
    if ms < 10.0 { format!("{ms:.3}") } else { format!("{ms:.1}") }
}

/// Microseconds, with about three digits.
pub(super) fn us(us: f64) -> String {
    if us < 10.0 { format!("{us:.2}") } else { format!("{us:.1}") }
}

/// A part of the whole.
pub(super) fn percent(ratio: f64) -> String {
    let percent = ratio * 100.0;
    if percent < 9.95 { format!("{percent:.1} %") } else { format!("{percent:.0} %") }
}

pub(super) fn or_dash<T>(value: Option<T>, show: impl Fn(T) -> String) -> String {
    value.map_or_else(|| NONE.to_owned(), show)
}

#[cfg(test)]
mod tests {
    use super::{ms, percent, whole};

    #[test]
    fn numbers_are_short() {
        assert_eq!(["0", "999", "1,000", "1,234,568"], [0.0, 999.4, 999.6, 1_234_567.8].map(whole)[..]);
        assert_eq!(["0.006", "9.990", "12.3"], [0.0056, 9.99, 12.34].map(ms)[..]);
        assert_eq!(["0.4 %", "9.9 %", "10 %", "125 %"], [0.004, 0.099, 0.0999, 1.25].map(percent)[..]);
    }
}
