//! Numbers, shares and sizes.

/// A number with its thousands apart, exact to the digit: `1 234 567`, with narrow spaces that do
/// not break a line.
pub fn number(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// A counted noun: `1 job`, `2 jobs`.
pub fn plural(count: u64, one: &str, many: &str) -> String {
    format!("{} {}", number(count), if count == 1 { one } else { many })
}

/// A share of a whole, such as `3.2 %`; `None` of nothing.
pub fn share(part: u64, whole: u64) -> Option<String> {
    if whole == 0 {
        return None;
    }
    let per_mille = u128::from(part) * 1_000 / u128::from(whole);
    Some(match per_mille {
        0 if part > 0 => "< 0.1 %".to_owned(),
        0 => "0 %".to_owned(),
        1..100 => format!("{}.{} %", per_mille / 10, per_mille % 10),
        _ => format!("{} %", per_mille / 10),
    })
}

/// A number of bytes in the unit that fits, rounded up: `7 bytes`, `2 KiB`.
pub fn size(bytes: usize) -> String {
    match bytes {
        0..1_024 => plural(bytes as u64, "byte", "bytes"),
        1_024..1_048_576 => format!("{} KiB", bytes.div_ceil(1_024)),
        _ => format!("{} MiB", bytes.div_ceil(1_048_576)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_exact_and_shares_never_round_something_to_nothing() {
        assert_eq!(number(999), "999");
        assert_eq!(number(1_234_567), "1\u{202f}234\u{202f}567");
        assert_eq!(number(u64::MAX).replace('\u{202f}', ""), u64::MAX.to_string());
        assert_eq!(share(0, 0), None);
        assert_eq!(share(1, 100_000).as_deref(), Some("< 0.1 %"));
        assert_eq!(share(32, 1_000).as_deref(), Some("3.2 %"));
        assert_eq!(share(u64::MAX, u64::MAX).as_deref(), Some("100 %"));
        assert_eq!(plural(1, "job", "jobs"), "1 job");
    }
}
