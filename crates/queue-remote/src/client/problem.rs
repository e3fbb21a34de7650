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

/// What a problem document says to people.
pub(super) fn detail(body: &[u8]) -> Option<String> {
    let document: Value = serde_json::from_slice(body).ok()?;
    document["detail"].as_str().filter(|detail| !detail.is_empty()).map(ToOwned::to_owned)
}

#[cfg(test)]
mod tests {
    use super::{KINDS, says_a_kind};
    use proptest::prelude::*;

    /// Noise, pages, and problem documents of any kind, some of them cut.
    fn bodies() -> impl Strategy<Value = Vec<u8>> {
        let noise = prop::collection::vec(any::<u8>(), 0..200);
        let page = any::<String>().prop_map(|text| format!("<html>{text}</html>").into_bytes());
        let document = (
            prop_oneof![any::<String>(), prop::sample::select(&KINDS[..]).prop_map(str::to_owned)],
            0_usize..200,
        )
            .prop_map(|(kind, end): (String, usize)| {
                let text = serde_json::json!({"kind": kind, "detail": "x"}).to_string();
                text.into_bytes().into_iter().take(end).collect()
            });
        prop_oneof![noise, page, document]
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_page_is_no_problem_document_unless_it_is_whole_and_of_a_known_kind(body in bodies()) {
            let text = String::from_utf8_lossy(&body);
            let names_a_kind = KINDS.iter().any(|kind| text.contains(&format!("\"kind\":\"{kind}\"")));
            let is_whole = text.ends_with('}');
            prop_assert!(!says_a_kind(&body) || (names_a_kind && is_whole));
        }
    }

    #[test]
    fn every_kind_of_the_protocol_is_known_and_no_other() {
        for kind in KINDS {
            assert!(says_a_kind(format!(r#"{{"kind": "{kind}"}}"#).as_bytes()));
        }
        assert!(!says_a_kind(br#"{"kind": "outage"}"#) && !says_a_kind(br#"["invalid"]"#));
    }
}
