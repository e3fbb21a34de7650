//! A job that follows another, as a request has it.

use super::{base64, outgoing_event::keep_json, span_millis};
use queue_core::{Budget, NewJob, OnFailed, OnWaiting, Tag};
use serde_json::{Map, Value, json};

/// Every field of the job, but those without a value.
pub(super) fn job_json(job: &NewJob) -> Value {
    let headers: Map<String, Value> =
        job.headers.iter().map(|(name, value)| (name.to_owned(), json!(value))).collect();
    let tags: Vec<&str> = job.tags.iter().map(Tag::as_str).collect();
    let mut said = json!({
        "id": job.id.as_str(),
        "kind": job.kind.as_str(),
        "payload_base64": base64(&job.payload.bytes),
        "content_type": job.payload.content_type.as_str(),
        "headers": headers,
        "tags": tags,
        "priority": job.priority,
        "delay_ms": span_millis(job.delay),
        "max_attempts": budget(job.max_attempts),
        "max_stalls": budget(job.max_stalls),
        "keep_completed": keep_json(job.retention.completed),
        "keep_failed": keep_json(job.retention.failed),
        "on_failed": if job.on_failed == OnFailed::Replace { "replace" } else { "block" },
        "awaited": job.awaited,
    });
    let mut add = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            said[name] = value;
        }
    };
    add("expires_in_ms", job.expires_in.map(|span| json!(span_millis(span))));
    add("time_limit_ms", job.time_limit.map(|span| json!(span_millis(span))));
    add("on_failure", job.on_failure.as_ref().map(|kind| json!(kind.as_str())));
    if let OnWaiting::Replace { max_wait } = job.on_waiting {
        add("on_waiting", Some(json!("replace")));
        add("max_wait_ms", max_wait.map(|span| json!(span_millis(span))));
    }
    said
}

fn budget(budget: Budget) -> Value {
    match budget {
        Budget::Limited(limit) => json!(limit.get()),
        Budget::Unlimited => json!("unlimited"),
    }
}
