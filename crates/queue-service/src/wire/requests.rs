//! What is asked for.

use serde::Serialize;

#[derive(Debug, Serialize)]
pub(crate) struct ClaimBody<'a> {
    pub(crate) worker: &'a str,
    pub(crate) claim_id: &'a str,
    pub(crate) limit: usize,
    pub(crate) lease_ms: u64,
    pub(crate) wait_ms: u64,
    pub(crate) repeat: bool,
}

#[derive(Debug, Serialize)]
pub(crate) struct AnnounceBody<'a> {
    pub(crate) worker: &'a str,
    pub(crate) queues: [&'a str; 1],
    pub(crate) concurrency: usize,
    pub(crate) held: usize,
    pub(crate) host: &'a str,
    pub(crate) version: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) kinds: Option<Vec<String>>,
    pub(crate) ttl_ms: u64,
}

/// A list of items that are JSON already, and the worker if the answer is to say whether it drains.
pub(crate) fn items_body<'a>(items: impl IntoIterator<Item = &'a str>, worker: Option<&str>) -> String {
    let mut body = String::from("{\"items\":[");
    for (at, item) in items.into_iter().enumerate() {
        if at > 0 {
            body.push(',');
        }
        body.push_str(item);
    }
    body.push(']');
    if let Some(worker) = worker {
        body.push_str(",\"worker\":");
        body.push_str(&serde_json::Value::from(worker).to_string());
    }
    body.push('}');
    body
}
