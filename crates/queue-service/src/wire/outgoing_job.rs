//! A job that follows another, as a request has it.

use super::{base64, outgoing_event::keep_json, span_millis};
use queue_core::{Budget, JobTerms, NewJob, OnFailed, OnWaiting, Tag};
use serde_json::{Map, Value, json};

/// Every field of the job, but those without a value.
pub(super) fn job_json(job: &NewJob) -> Value {
    let NewJob {
        id,
        kind,
        payload,
        headers,
        tags,
        priority,
        delay,
        expires_in,
        terms,
        on_failed,
        on_waiting,
        awaited,
    } = job;
    let JobTerms { max_attempts, max_stalls, time_limit, on_failure, retention, newer: _ } = &**terms;
    let headers: Map<String, Value> =
        headers.iter().map(|(name, value)| (name.to_owned(), json!(value))).collect();
    let tags: Vec<&str> = tags.iter().map(Tag::as_str).collect();
    let mut said = json!({
        "id": id.as_str(),
        "kind": kind.as_str(),
        "payload_base64": base64(&payload.bytes),
        "content_type": payload.content_type.as_str(),
        "headers": headers,
        "tags": tags,
        "priority": priority,
        "delay_ms": span_millis(*delay),
        "max_attempts": budget(*max_attempts),
        "max_stalls": budget(*max_stalls),
        "keep_completed": keep_json(retention.completed),
        "keep_failed": keep_json(retention.failed),
        "on_failed": if *on_failed == OnFailed::Replace { "replace" } else { "block" },
        "awaited": awaited,
    });
    let mut add = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            said[name] = value;
        }
    };
    add("expires_in_ms", expires_in.map(|span| json!(span_millis(span))));
    add("time_limit_ms", time_limit.map(|span| json!(span_millis(span))));
    add("on_failure", on_failure.as_ref().map(|kind| json!(kind.as_str())));
    if let OnWaiting::Replace { max_wait } = *on_waiting {
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
