//! Payloads, results, progress and details of errors as JSON.

use super::JsonFlaw;
use base64::{Engine, engine::general_purpose::STANDARD};
use queue_core::Payload;
use serde::Serialize;
use serde_json::value::RawValue;

const JSON: &str = "application/json";
/// JSON that is nested deeper than this is no part of a document, neither of one that is read nor
/// of one that is written, since parsers give up on it: there it is text or base64.
pub const JSON_DEPTH_MAX: usize = 64;

/// Bytes in one of three forms: as JSON where they are JSON, as text where they are UTF-8, and
/// else in base64. No form changes a byte.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Data))]
pub struct DataView<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<serde_json::Value>))]
    json: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    base64: Option<String>,
    /// Of a payload and of a result.
    #[serde(skip_serializing_if = "Option::is_none")]
    content_type: Option<&'a str>,
}

impl<'a> DataView<'a> {
    /// Bytes without a content type: progress, details of an error.
    pub fn of(bytes: &'a [u8]) -> Self {
        match json_of(bytes) {
            Some(json) => Self { json: Some(json), ..Self::default() },
            None => Self::plain(bytes),
        }
    }

    fn plain(bytes: &'a [u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(text) => Self { text: Some(text), ..Self::default() },
            Err(_) => Self { base64: Some(STANDARD.encode(bytes)), ..Self::default() },
        }
    }
}

/// A payload or a result, which is JSON only where its content type says so.
impl<'a> From<&'a Payload> for DataView<'a> {
    fn from(payload: &'a Payload) -> Self {
        let content_type = payload.content_type.as_str();
        let bytes = &payload.bytes[..];
        let shown = if content_type == JSON { Self::of(bytes) } else { Self::plain(bytes) };
        Self { content_type: Some(content_type), ..shown }
    }
}

/// Bytes in the two forms in which the protocol takes them: JSON, or base64 with a content type.
#[derive(Clone, Debug, Default)]
pub struct SentData<'a> {
    /// The bytes, if they are JSON that can be a part of a document.
    pub json: Option<&'a RawValue>,
    /// The bytes in base64, if they are not.
    pub base64: Option<String>,
    /// The content type of a payload or a result that stands in `base64`.
    pub content_type: Option<&'a str>,
}

impl<'a> SentData<'a> {
    /// A payload or a result.
    pub fn of(payload: &'a Payload) -> Self {
        if payload.content_type.as_str() == JSON
            && let Some(json) = json_of(&payload.bytes)
        {
            return Self { json: Some(json), ..Self::default() };
        }
        let content_type = Some(payload.content_type.as_str());
        Self { json: None, base64: Some(STANDARD.encode(&payload.bytes)), content_type }
    }

    /// Bytes without a content type: progress, details of an error.
    pub fn of_bytes(bytes: &'a [u8]) -> Self {
        match json_of(bytes) {
            Some(json) => Self { json: Some(json), ..Self::default() },
            None => Self { base64: Some(STANDARD.encode(bytes)), ..Self::default() },
        }
    }
}

/// Bytes as JSON that can be a part of another document without a byte of a difference; `None` if
/// they are no JSON, have blanks around it, or have a [flaw](JsonFlaw) such as more than
/// [`JSON_DEPTH_MAX`] levels.
pub fn json_of(bytes: &[u8]) -> Option<&RawValue> {
    let json: &RawValue = serde_json::from_slice(bytes).ok()?;
    (json.get().len() == bytes.len() && JsonFlaw::of(bytes, JSON_DEPTH_MAX).is_none()).then_some(json)
}

#[cfg(test)]
mod tests {
    use super::*;
    use queue_core::ContentType;

    fn shown(bytes: &[u8], content_type: &'static str) -> String {
        let payload = Payload::new(bytes.to_vec(), ContentType::from_static(content_type));
        serde_json::to_string(&DataView::from(&payload)).expect("it is JSON")
    }

    #[test]
    fn bytes_are_json_text_or_base64_and_keep_every_byte() {
        assert_eq!(
            shown(b"{ \"a\" : 1e400 }", JSON),
            r#"{"json":{ "a" : 1e400 },"content_type":"application/json"}"#
        );
        assert_eq!(shown(b"7", "text/plain"), r#"{"text":"7","content_type":"text/plain"}"#);
        assert_eq!(shown(b" 1", JSON), r#"{"text":" 1","content_type":"application/json"}"#);
        assert_eq!(shown(b"\xff", "a/b"), r#"{"base64":"/w==","content_type":"a/b"}"#);
        assert_eq!(serde_json::to_string(&DataView::of(b"[1]")).expect("JSON"), r#"{"json":[1]}"#);
    }

    #[test]
    fn only_what_a_document_can_hold_unchanged_is_json() {
        for json in ["1e400", "123456789012345678901234567890", "{ \"a\" : [\n1 ] }", "null"] {
            assert_eq!(json_of(json.as_bytes()).map(RawValue::get), Some(json));
        }
        for other in ["", " 1", "1 ", "NaN", "[1", "\u{feff}1", "\"\\ud800\""] {
            assert!(json_of(other.as_bytes()).is_none(), "{other:?}");
        }
        assert!(json_of(b"\"\xff\"").is_none());
        assert!(json_of(("[".repeat(65) + &"]".repeat(65)).as_bytes()).is_none());
    }
}
