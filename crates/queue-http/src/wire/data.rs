//! Payloads, results, progress and details: JSON that passes through as it is, or base64.

use crate::{
    limits::ServiceLimits,
    problem::{Problem, Result},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use bytes::Bytes;
use queue_core::{ContentType, Payload};
use queue_view::JsonFlaw;
use serde_json::value::RawValue;

const JSON: &str = "application/json";
const ANY: &str = "application/octet-stream";

/// The payload that a request gives under the name `what`: JSON as it was written, or base64 with a
/// content type.
pub(crate) fn payload_of(
    what: &str,
    json: Option<&RawValue>,
    base64: Option<&str>,
    content_type: Option<&str>,
    limits: &ServiceLimits,
) -> Result<Payload> {
    if base64.is_none() && content_type.is_some() {
        return Err(Problem::invalid(format!(
            "content_type: give it with {what}_base64 alone; {what} is always {JSON}"
        )));
    }
    let bytes = bytes_of(what, json, base64, limits)?;
    match (base64, bytes) {
        (Some(_), Some(bytes)) => {
            let content_type = ContentType::new(content_type.unwrap_or(ANY))?;
            Ok(Payload::new(bytes, content_type))
        }
        (_, bytes) => Ok(Payload::new(
            bytes.unwrap_or_else(|| Bytes::from_static(b"null")),
            ContentType::from_static(JSON),
        )),
    }
}

/// The bytes that a request gives in one of the two forms; `None` if in neither.
pub(crate) fn bytes_of(
    what: &str,
    json: Option<&RawValue>,
    base64: Option<&str>,
    limits: &ServiceLimits,
) -> Result<Option<Bytes>> {
    let flaw = json.and_then(|json| JsonFlaw::of(json.get().as_bytes(), limits.data_depth_max()));
    match (json, base64) {
        (Some(_), Some(_)) => Err(Problem::invalid(format!("{what}: give it or {what}_base64, not both"))),
        (Some(json), None) => match flaw {
            Some(flaw) => {
                Err(Problem::invalid(format!("{what}: {flaw}; send the text of such JSON as {what}_base64")))
            }
            // With a slice the bytes of the whole request would stay in memory.
            None => Ok(Some(Bytes::copy_from_slice(json.get().as_bytes()))),
        },
        (None, Some(text)) => match STANDARD.decode(text) {
            Ok(bytes) => Ok(Some(bytes.into())),
            Err(error) => Err(Problem::invalid(format!("{what}_base64: {error}"))),
        },
        (None, None) => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queue_view::{JSON_DEPTH_MAX, json_of};

    /// So that what is read of a job can be enqueued as it is.
    #[test]
    fn data_are_sent_and_read_as_json_down_to_the_same_depth() {
        for levels in [1, JSON_DEPTH_MAX, JSON_DEPTH_MAX + 1] {
            let text = format!("{}{}", "[".repeat(levels), "]".repeat(levels));
            let json: &RawValue = serde_json::from_str(&text).expect("it is JSON");
            let sent = bytes_of("payload", Some(json), None, &ServiceLimits::default());
            assert_eq!(sent.is_ok(), json_of(text.as_bytes()).is_some(), "{levels} levels");
            if let Err(refused) = sent {
                assert!(format!("{refused:?}").contains("payload_base64"), "{refused:?}");
            }
        }
    }

    #[test]
    fn what_is_not_given_is_null() {
        let limits = ServiceLimits::default();
        let payload = payload_of("payload", None, None, None, &limits).expect("it may be left out");
        assert_eq!((&*payload.bytes, payload.content_type.as_str()), (&b"null"[..], JSON));
    }
}
