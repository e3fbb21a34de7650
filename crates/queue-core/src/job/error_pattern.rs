//! Messages of errors without what differs from job to job, so that equal errors count as one.

/// The message without what differs from job to job: numbers, hexadecimals, UUIDs and quoted text.
///
/// ```
/// let pattern = queue_core::error_pattern("no route to \"10.0.0.7\" after 30s");
/// assert_eq!(pattern, "no route to \"…\" after #");
/// ```
pub fn error_pattern(message: &str) -> String {
    let mut normalised = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(first) = rest.chars().next() {
        let (shown, len) = match first {
            '"' | '\'' | '`' => match quoted(rest, first) {
                Some(len) => ("\"…\"", len),
                None => (&rest[..1], 1),
            },
            _ if first.is_alphanumeric() => {
                let len =
                    rest.find(|next: char| !next.is_alphanumeric() && next != '-').unwrap_or(rest.len());
                let word = &rest[..len];
                (if is_number(word) { "#" } else { word }, len)
            }
            _ => (&rest[..first.len_utf8()], first.len_utf8()),
        };
        normalised.push_str(shown);
        rest = &rest[len..];
    }
    normalised
}

/// The length of a quotation that begins here. An apostrophe within a word begins none, since words
/// are taken whole.
fn quoted(text: &str, mark: char) -> Option<usize> {
    text[1..].find(mark).map(|end| end + 2)
}

/// A number, a hexadecimal, a uuid, or a number with its unit.
fn is_number(word: &str) -> bool {
    let has_digit = word.bytes().any(|byte| byte.is_ascii_digit());
    let word = word.strip_prefix("0x").unwrap_or(word);
    let is_hex = word.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    let is_amount = word.starts_with(|first: char| first.is_ascii_digit());
    has_digit && (is_hex || is_amount)
}

#[cfg(test)]
mod tests {
    use super::error_pattern;

    #[test]
    fn what_differs_from_job_to_job_is_left_out_of_messages() {
        for (given, kept) in [
            ("", ""),
            ("no route to host", "no route to host"),
            ("timed out after 30s on port 5432", "timed out after # on port #"),
            ("user 7f9c24e5-2fbb-4a8a-9d41-0c6b0e8fcd11 is gone", "user # is gone"),
            ("at 0xdeadbeef01 and 1.5", "at # and #.#"),
            ("no file \"a b.txt\" in 'x'", "no file \"…\" in \"…\""),
            ("it's over, \u{e9}t\u{e9} 3", "it's over, \u{e9}t\u{e9} #"),
            ("an open \" quote", "an open \" quote"),
            ("sha256 of utf8", "sha256 of utf8"),
        ] {
            assert_eq!(error_pattern(given), kept);
        }
    }
}
