//! Masks values that look like secrets in the text of errors.

const MASK: &str = "***";
/// Keys whose values must not be in a stored message, in lower case.
const SECRET_KEYS: [&str; 8] =
    ["password", "passwd", "secret", "token", "apikey", "api_key", "api-key", "authorization"];

/// Replaces the values of keys such as `password`, `token`, `secret` and `api_key` by `***`.
///
/// It recognizes `key=value`, `key: value`, `"key": "value"` and `Authorization: Bearer value`. It
/// is a safety net for error texts, not a guarantee: keep secrets out of messages.
pub fn mask_secrets(text: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let mut masked = String::with_capacity(text.len());
    let mut at = 0;
    while let Some((start, end)) = next_secret(&lower, at) {
        masked.push_str(&text[at..start]);
        masked.push_str(MASK);
        at = end;
    }
    masked.push_str(&text[at..]);
    masked
}

/// The start and end of the next secret value at or after `from`.
fn next_secret(lower: &str, from: usize) -> Option<(usize, usize)> {
    let mut at = from;
    while let Some(key_end) = next_key_end(lower, at) {
        if let Some(value) = value_after(lower, key_end) {
            return Some(value);
        }
        at = key_end;
    }
    None
}

/// The search makes one pass over the text, whatever its content is, since a message may be made
/// from a hostile payload.
fn next_key_end(lower: &str, from: usize) -> Option<usize> {
    let key_at = |at: usize| SECRET_KEYS.iter().find(|key| lower[at..].starts_with(**key));
    let mut starts = lower[from..].char_indices().map(|(at, _)| from + at);
    starts.find_map(|at| key_at(at).map(|key| at + key.len()))
}

/// The value behind `key`, if a separator follows: up to a quote, a blank or a delimiter.
fn value_after(lower: &str, key_end: usize) -> Option<(usize, usize)> {
    let rest = &lower[key_end..];
    let separator = rest.find(|c: char| !matches!(c, '"' | '\'' | ' '))?;
    if !rest[separator..].starts_with([':', '=']) {
        return None;
    }
    let after = separator + 1;
    let blank = after + (rest.len() - after - rest[after..].trim_start_matches([' ', '\\']).len());
    let (start, is_end): (usize, fn(char) -> bool) = match rest[blank..].chars().next()? {
        '"' => (blank + 1, |c| c == '"'),
        '\'' => (blank + 1, |c| c == '\''),
        _ => (blank, |c| c.is_whitespace() || matches!(c, ',' | ';' | '&' | '"' | '\'' | ')' | '}' | ']')),
    };
    let start = start + scheme_len(&rest[start..]);
    let len = rest[start..].find(is_end).unwrap_or(rest.len() - start);
    (len > 0).then_some((key_end + start, key_end + start + len))
}

/// The length of an authorization scheme in front of the credentials.
fn scheme_len(value: &str) -> usize {
    ["bearer ", "basic "].iter().find(|scheme| value.starts_with(**scheme)).map_or(0, |scheme| scheme.len())
}

#[cfg(test)]
mod tests {
    use super::mask_secrets;

    #[test]
    fn values_of_secret_keys_are_masked() {
        for (text, masked) in [
            ("password=hunter2 user=x", "password=*** user=x"),
            ("PGPASSWORD: hunter2", "PGPASSWORD: ***"),
            (r#"{"api_key": "abc def", "a": 1}"#, r#"{"api_key": "***", "a": 1}"#),
            ("url?token=abc&x=1", "url?token=***&x=1"),
            ("Authorization: Bearer abc.def", "Authorization: Bearer ***"),
            ("api-key='x y' secret=z", "api-key='***' secret=***"),
            ("no password here", "no password here"),
            ("unexpected token `}` at 3", "unexpected token `}` at 3"),
            ("token=", "token="),
            ("\u{130}\u{130} password=x", "\u{130}\u{130} password=***"),
        ] {
            assert_eq!(mask_secrets(text), masked);
        }
    }
}
