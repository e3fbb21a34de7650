//! A job to enqueue, as a request has it.

use super::{base64, span_millis};
use queue_core::{NewJob, OnFailed, OnWaiting, Tag};
use queue_view::TermsView;
use serde_json::{Map, Value, json};

/// Every field of the job, but those without a value.
pub(crate) fn job_json(job: &NewJob) -> Value {
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
        // No request can ask for them.
        gate: _,
        end_signals: _,
        partition,
    } = job;
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
        "on_failed": if *on_failed == OnFailed::Replace { "replace" } else { "block" },
        "awaited": awaited,
    });
    let mut add = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            said[name] = value;
        }
    };
    add("partition", partition.as_ref().map(|partition| json!(partition.as_str())));
    add("expires_in_ms", expires_in.map(|span| json!(span_millis(span))));
    if let OnWaiting::Replace { max_wait } = *on_waiting {
        add("on_waiting", Some(json!("replace")));
        add("max_wait_ms", max_wait.map(|span| json!(span_millis(span))));
    }
    if let Value::Object(terms) = json!(TermsView::of(terms)) {
        terms.into_iter().filter(|(_, value)| !value.is_null()).for_each(|(name, value)| said[name] = value);
    }
    said
}
