//! The bodies of the calls that a worker makes, as docs/service/protocol.md has them.

mod answers;
mod claimed_job;
mod outgoing_event;
mod outgoing_job;
mod requests;

pub(crate) use answers::{AnnounceAnswer, ClaimAnswer, ItemAnswer, ItemsAnswer};
pub(crate) use claimed_job::ClaimedJson;
pub(crate) use outgoing_event::event_json;
pub(crate) use outgoing_job::job_json;
pub(crate) use requests::{AnnounceBody, ClaimBody, items_body};

use queue_core::Span;
use std::time::Duration;

/// Bytes as text.
pub(crate) fn base64(bytes: &[u8]) -> String {
    base64::Engine::encode(&base64::engine::general_purpose::STANDARD, bytes)
}

pub(crate) fn from_base64(text: &str) -> Option<Vec<u8>> {
    base64::Engine::decode(&base64::engine::general_purpose::STANDARD, text).ok()
}

pub(crate) fn millis(length: Duration) -> u64 {
    u64::try_from(length.as_millis()).unwrap_or(u64::MAX)
}

fn span_millis(span: Span) -> u64 {
    millis(span.as_duration())
}
