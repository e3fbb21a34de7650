//! The content type of bytes, and what may be called JSON.

use crate::exit::CliError;
use queue::{ContentType, view::JsonFlaw};
use serde::de::IgnoredAny;

/// The content type of JSON.
pub(crate) const JSON: &str = "application/json";

/// [`JSON`] for bytes that are a JSON value as a whole, including a number or a quoted
/// word; otherwise `text/plain`, also where the text of the JSON is no Unicode.
///
/// So a program's handlers, whose codec is JSON unless they chose another, can read what a shell
/// enqueued.
pub(crate) fn guess(bytes: &[u8]) -> ContentType {
    let is_json = is_json(bytes) && flaw(bytes).is_none();
    ContentType::from_static(if is_json { JSON } else { "text/plain" })
}

/// The content type of a payload: the one that was named, or a guess.
///
/// # Errors
/// The payload is called JSON, or looks like it, and its text is no Unicode.
pub(crate) fn of_payload(bytes: &[u8], named: Option<&ContentType>) -> Result<ContentType, CliError> {
    let is_meant_as_json = named.map_or_else(|| is_json(bytes), |named| named.as_str() == JSON);
    if is_meant_as_json && let Some(flaw) = flaw(bytes) {
        let advice = "name another --content-type to store these bytes as they are";
        return Err(CliError::invalid(format!("the payload is JSON that has {flaw}; {advice}")));
    }
    Ok(named.cloned().unwrap_or_else(|| guess(bytes)))
}

fn is_json(bytes: &[u8]) -> bool {
    str::from_utf8(bytes).is_ok_and(|text| serde_json::from_str::<IgnoredAny>(text).is_ok())
}

/// A shell may store JSON of any depth.
fn flaw(bytes: &[u8]) -> Option<JsonFlaw> {
    JsonFlaw::of(bytes, usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::{ContentType, guess, of_payload};

    #[test]
    fn what_is_json_as_a_whole_is_marked_so() {
        for json in ["{\"to\": \"ada\"}", "[1, 2]", "\"ada\"", "42", "null", " {}\n"] {
            assert_eq!(guess(json.as_bytes()).as_str(), "application/json", "{json}");
        }
        for text in ["", "ada", "{ada}", "1 2", "042", "'ada'", "{} {}", "nan", "\"\\ud800\""] {
            assert_eq!(guess(text.as_bytes()).as_str(), "text/plain", "{text}");
        }
        assert_eq!(guess(b"\"\xff\"").as_str(), "text/plain");
    }

    #[test]
    fn json_whose_text_is_no_unicode_is_refused_unless_it_is_sent_as_something_else() {
        let named = |name| Some(ContentType::from_static(name));
        let half = b"{\"to\": \"\\ud800\"}";
        for content_type in [None, named("application/json")] {
            let refused = of_payload(half, content_type.as_ref()).expect_err("it is no Unicode");
            assert!(format!("{refused:?}").contains("half of a surrogate pair"), "{refused:?}");
        }
        let plain = of_payload(half, named("text/plain").as_ref()).expect("it is text");
        assert_eq!(plain.as_str(), "text/plain");
        assert_eq!(of_payload(b"\\ud800", None).expect("it is no JSON").as_str(), "text/plain");
    }
}
