//! The bodies of the calls that a worker makes, as docs/service/protocol.md has them.

use super::calls::ProblemKind;
use queue::{ContentType, Payload};
use serde::{Deserialize, Serialize};
use serde_json::{Value, value::RawValue};

const JSON: &str = "application/json";

#[derive(Debug, Serialize)]
pub(super) struct ClaimBody<'a> {
    pub(super) worker: &'a str,
    pub(super) claim_id: String,
    pub(super) limit: usize,
    pub(super) lease_ms: u64,
    pub(super) wait_ms: u64,
    pub(super) repeat: bool,
}

#[derive(Debug, Deserialize)]
pub(super) struct ClaimAnswer {
    pub(super) jobs: Vec<ClaimedJson>,
    pub(super) next_due_in_ms: Option<u64>,
    pub(super) paused: bool,
    pub(super) drain: bool,
    /// How long the request had waited when the leases began.
    #[serde(default)]
    pub(super) waited_ms: u64,
}

#[derive(Debug, Deserialize)]
pub(super) struct ClaimedJson {
    pub(super) id: String,
    pub(super) seq: u64,
    pub(super) kind: String,
    pub(super) attempt: u32,
    payload: Option<Box<RawValue>>,
    payload_base64: Option<String>,
    content_type: Option<String>,
    pub(super) lease_ms: u64,
    pub(super) time_limit_ms: Option<u64>,
    #[serde(default)]
    pub(super) cancel_requested: bool,
    pub(super) receipt: String,
}

#[derive(Debug, Serialize)]
pub(super) struct ItemsBody {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) worker: Option<String>,
    pub(super) items: Vec<Value>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ItemsAnswer {
    pub(super) items: Vec<ItemAnswer>,
    #[serde(default)]
    pub(super) drain: bool,
}

#[derive(Debug, Deserialize)]
pub(super) struct ItemAnswer {
    pub(super) outcome: String,
    pub(super) state: Option<String>,
    #[serde(default)]
    pub(super) cancel_requested: bool,
    pub(super) lease_ms: Option<u64>,
    pub(super) problem: Option<RefusedItem>,
}

#[derive(Debug, Deserialize)]
pub(super) struct RefusedItem {
    pub(super) kind: ProblemKind,
    pub(super) detail: String,
    pub(super) status: u16,
}

#[derive(Debug, Deserialize)]
pub(super) struct AnnounceAnswer {
    pub(super) drain: bool,
}

impl ClaimedJson {
    /// The payload, byte for byte; `None` if the service says it in a way that cannot be read.
    pub(super) fn payload(&self) -> Option<Payload> {
        if let Some(encoded) = &self.payload_base64 {
            let bytes = base64::Engine::decode(&base64::engine::general_purpose::STANDARD, encoded).ok()?;
            let content_type = self.content_type.as_deref().unwrap_or("application/octet-stream");
            return Some(Payload::new(bytes, ContentType::new(content_type).ok()?));
        }
        // Serde reads a field that is `null` as one that is absent.
        let text = self.payload.as_ref().map_or("null", |payload| payload.get());
        Some(Payload::new(text.to_owned(), ContentType::from_static(JSON)))
    }
}

impl ItemAnswer {
    /// Why the service refused the item, for people.
    pub(super) fn refusal(&self) -> &str {
        self.problem.as_ref().map_or("the service does not say why", |problem| &problem.detail)
    }
}

/// A result as a settle says it. In base64 no byte of it can change on the way, also of JSON.
pub(super) fn result(result: &Payload) -> Value {
    let encoded = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, &result.bytes);
    serde_json::json!({"result_base64": encoded, "content_type": result.content_type.as_str()})
}
