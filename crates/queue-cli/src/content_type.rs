//! The content type of bytes for which the caller named none.

use queue::ContentType;
use serde::de::IgnoredAny;

/// The content type of JSON.
pub(crate) const JSON: &str = "application/json";

/// [`JSON`] for bytes that are a JSON value as a whole, including a number or a quoted
/// word; otherwise `text/plain`.
///
/// So a program's handlers, whose codec is JSON unless they chose another, can read what a shell
/// enqueued.
pub(crate) fn guess(bytes: &[u8]) -> ContentType {
    let is_json = str::from_utf8(bytes).is_ok_and(|text| serde_json::from_str::<IgnoredAny>(text).is_ok());
    ContentType::from_static(if is_json { JSON } else { "text/plain" })
}

#[cfg(test)]
mod tests {
    use super::guess;

    #[test]
    fn what_is_json_as_a_whole_is_marked_so() {
        for json in ["{\"to\": \"ada\"}", "[1, 2]", "\"ada\"", "42", "null", " {}\n"] {
            assert_eq!(guess(json.as_bytes()).as_str(), "application/json", "{json}");
        }
        for text in ["", "ada", "{ada}", "1 2", "042", "'ada'", "{} {}", "nan"] {
            assert_eq!(guess(text.as_bytes()).as_str(), "text/plain", "{text}");
        }
        assert_eq!(guess(b"\"\xff\"").as_str(), "text/plain");
    }
}
