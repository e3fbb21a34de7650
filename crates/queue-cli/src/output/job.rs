//! A job and its attempts as JSON objects, and the details of a job in words.

use super::{age, insert_bytes};
use queue::{
    Budget, JobMeta, Status,
    queue_core::{Attempt, Tag, Tags},
};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// A job as an object. The field names are part of the command's interface: new ones may be added,
/// and none changes.
pub(crate) fn job(status: &Status) -> Value {
    let meta = &status.meta;
    let mut object = Map::new();
    let fields = [
        ("id", json!(meta.id.as_str())),
        ("queue", json!(meta.queue.as_str())),
        ("seq", json!(meta.seq.get())),
        ("revision", json!(meta.revision)),
        ("state", json!(meta.state.as_str())),
        ("scheduled", json!(status.is_scheduled())),
        ("kind", json!(meta.kind.as_str())),
        ("tags", meta.tags.iter().map(|tag| json!(tag.as_str())).collect()),
        ("priority", json!(meta.priority)),
        ("attempts", json!(status.attempts())),
        ("failures", json!(meta.failures)),
        ("stalls", json!(meta.stalls)),
        ("max_attempts", budget(meta.max_attempts)),
        ("max_stalls", budget(meta.max_stalls)),
        ("created_at_ms", json!(meta.created_at.as_millis())),
        ("run_at_ms", json!(meta.run_at.as_millis())),
        ("expires_at_ms", json!(meta.expires_at().map(queue::Timestamp::as_millis))),
        ("expired", json!(status.is_expired())),
        ("time_limit_ms", json!(meta.time_limit.map(queue::queue_core::Span::as_millis))),
        ("on_failure", json!(meta.on_failure.as_ref().map(queue::Kind::as_str))),
        ("claimed_at_ms", json!(meta.claimed_at.map(queue::Timestamp::as_millis))),
        ("failed_at_ms", json!(meta.failed_at.map(queue::Timestamp::as_millis))),
        ("entered_at_ms", json!(meta.entered_at().as_millis())),
        ("wait_ms", json!(meta.wait_time(status.now).map(millis))),
        ("run_ms", json!(meta.run_time(status.now).map(millis))),
        ("finished_at_ms", json!(meta.finished_at.map(queue::Timestamp::as_millis))),
        ("purge_at_ms", json!(meta.purge_at.map(queue::Timestamp::as_millis))),
        ("now_ms", json!(status.now.as_millis())),
        ("cancel_requested", json!(meta.cancel_requested)),
        ("reason", json!(meta.reason.map(queue::Reason::as_str))),
        ("error", error(meta)),
        ("worker", json!(meta.lease.as_ref().map(|lease| lease.worker.as_str()))),
        ("lease_expires_at_ms", json!(meta.lease.as_ref().map(|lease| lease.expires_at.as_millis()))),
    ];
    object.extend(fields.map(|(name, value)| (name.to_owned(), value)));
    if let Some(progress) = &meta.progress {
        insert_bytes(&mut object, "progress", progress);
    }
    object.into()
}

fn budget(budget: Budget) -> Value {
    match budget {
        Budget::Limited(limit) => json!(limit.get()),
        Budget::Unlimited => Value::Null,
    }
}

fn error(meta: &JobMeta) -> Value {
    let error = meta.last_error.as_ref();
    error.map_or(Value::Null, |error| json!({"name": error.name(), "message": error.message()}))
}

fn millis(length: Duration) -> u64 {
    u64::try_from(length.as_millis()).unwrap_or(u64::MAX)
}

/// The tags in one line.
pub(crate) fn tags(tags: &Tags) -> String {
    tags.iter().map(Tag::as_str).collect::<Vec<_>>().join(", ")
}

/// An attempt as an object.
pub(crate) fn attempt(attempt: &Attempt) -> Value {
    json!({
        "epoch": attempt.epoch,
        "worker": attempt.worker.as_str(),
        "claimed_at_ms": attempt.claimed_at.as_millis(),
        "ended_at_ms": attempt.ended_at.as_millis(),
        "outcome": attempt.outcome.as_str(),
        "error": {"name": attempt.error_name, "message": attempt.error_message},
    })
}

/// The fields of a job that matter to a person.
pub(crate) fn details(status: &Status) -> Vec<(&'static str, String)> {
    let meta = &status.meta;
    let mut pairs = vec![
        ("id", meta.id.to_string()),
        ("queue", meta.queue.to_string()),
        ("state", state(status)),
        ("kind", meta.kind.to_string()),
        ("priority", meta.priority.to_string()),
        ("attempts", format!("{} of {}", status.attempts(), limit(meta.max_attempts))),
        ("enqueued", format!("{} ago", age(status.now.since(meta.created_at)))),
    ];
    if !meta.tags.is_empty() {
        pairs.push(("tags", tags(&meta.tags)));
    }
    if let Some(waited) = meta.wait_time(status.now) {
        pairs.push(("waited", age(waited)));
    }
    if let Some(ran) = meta.run_time(status.now) {
        pairs.push(("ran", age(ran)));
    }
    if meta.stalls > 0 {
        pairs.push(("stalls", format!("{} of {}", meta.stalls, limit(meta.max_stalls))));
    }
    if let Some(left) = status.must_start_in().filter(|_| !status.is_expired()) {
        pairs.push(("expires", format!("in {} unless it starts", age(left))));
    }
    if let Some(limit) = status.time_limit() {
        pairs.push(("time limit", age(limit)));
    }
    if let Some(kind) = status.on_failure() {
        pairs.push(("if it fails", format!("a job of kind {kind} follows")));
    }
    if let Some(lease) = &meta.lease {
        let left = age(lease.expires_at.since(status.now));
        pairs.push(("held by", format!("{}, for another {left} unless it extends", lease.worker)));
    }
    if let Some(progress) = &meta.progress {
        pairs.push(("progress", String::from_utf8_lossy(progress).into_owned()));
    }
    if let Some(error) = &meta.last_error {
        pairs.push(("last error", error.to_string()));
    }
    if let Some(finished_at) = meta.finished_at {
        pairs.push(("finished", format!("{} ago", age(status.now.since(finished_at)))));
        pairs.push(("kept for", status.kept_for().map_or_else(|| "ever".to_owned(), age)));
    }
    pairs
}

fn state(status: &Status) -> String {
    let state = status.state();
    match (status.due_in(), status.meta.reason) {
        _ if status.is_expired() => format!("{state}, expired: nobody started it in time"),
        (Some(due_in), _) if status.is_scheduled() => format!("{state}, due in {}", age(due_in)),
        (_, Some(reason)) => format!("{state} ({reason})"),
        _ if status.meta.cancel_requested => format!("{state}, asked to stop"),
        _ => state.to_string(),
    }
}

fn limit(budget: Budget) -> String {
    match budget {
        Budget::Limited(limit) => limit.to_string(),
        Budget::Unlimited => "unlimited".to_owned(),
    }
}
