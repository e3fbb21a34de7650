//! Problem documents of `queue serve`, which tell its refusals from the pages of what stands before
//! it.

use http::{HeaderMap, header::CONTENT_TYPE};
use serde_json::Value;

/// The kinds of the protocol.
const KINDS: [&str; 11] = [
    "invalid",
    "unauthorized",
    "forbidden",
    "not_found",
    "conflict",
    "too_many",
    "unsupported",
    "unavailable",
    "closed",
    "corrupt",
    "internal",
];

/// The content type without its parameters, in small letters.
pub(super) fn media_type(headers: &HeaderMap) -> String {
    let text = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Whether an answer calls itself a problem document.
pub(super) fn is_problem(headers: &HeaderMap) -> bool {
    media_type(headers) == "application/problem+json"
}

/// Whether a problem document has a kind of the protocol, which no other program gives it.
pub(super) fn says_a_kind(body: &[u8]) -> bool {
    let document: Value = serde_json::from_slice(body).unwrap_or_default();
    document["kind"].as_str().is_some_and(|kind| KINDS.contains(&kind))
}
