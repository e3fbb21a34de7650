//! The event that a settle carries.

use super::{base64, outgoing_job::job_json, span_millis};
use queue_core::{
    Failure, NewJob, Payload, Retention,
    lifecycle::{Cause, Event},
};
use queue_view::KeepView;
use serde_json::{Map, Value, json};

/// The item of a settle, without its receipt. Results go in base64, in which no byte of them can
/// change on the way, also of JSON.
pub(crate) fn event_json(event: &Event) -> Map<String, Value> {
    let (name, members) = match event {
        Event::Complete { result, retention, then, .. } => {
            ("complete", with(completed(result), *retention, then))
        }
        Event::Fail { failure, cause, delay, retention, then, .. } => {
            let mut said = failed(failure, *cause);
            if let Some(delay) = delay {
                said.insert("delay_ms".to_owned(), json!(span_millis(*delay)));
            }
            ("fail", with(said, *retention, then))
        }
        Event::PutBack { delay, .. } => {
            ("release", Map::from_iter([("delay_ms".to_owned(), json!(span_millis(*delay)))]))
        }
        Event::Snooze { delay, progress, then, .. } => {
            let mut said = noted(progress.as_deref());
            said.insert("delay_ms".to_owned(), json!(span_millis(*delay)));
            ("snooze", with(said, None, then))
        }
        Event::Interrupt { progress, then, .. } => {
            ("interrupt", with(noted(progress.as_deref()), None, then))
        }
        Event::Release { then, .. } => ("release", with(Map::new(), None, then)),
        // No attempt of a hosted job ends in another event.
        _ => ("release", Map::new()),
    };
    Map::from_iter([(name.to_owned(), Value::Object(members))])
}

fn completed(result: &Payload) -> Map<String, Value> {
    Map::from_iter([
        ("result_base64".to_owned(), json!(base64(&result.bytes))),
        ("content_type".to_owned(), json!(result.content_type.as_str())),
    ])
}

fn failed(failure: &Failure, cause: Cause) -> Map<String, Value> {
    let mut error = json!({"name": failure.name(), "message": failure.message()});
    if let Some(details) = failure.details() {
        error["details_base64"] = json!(base64(details));
    }
    let cause = match cause {
        Cause::Retryable => "retryable",
        Cause::Terminal => "terminal",
        Cause::UnknownKind => "unknown_kind",
        Cause::Undecodable => "undecodable",
    };
    Map::from_iter([("error".to_owned(), error), ("cause".to_owned(), json!(cause))])
}

fn noted(progress: Option<&[u8]>) -> Map<String, Value> {
    progress.map(|bytes| ("progress_base64".to_owned(), json!(base64(bytes)))).into_iter().collect()
}

fn with(mut said: Map<String, Value>, keep: Option<Retention>, then: &[NewJob]) -> Map<String, Value> {
    if let Some(keep) = keep {
        said.insert("keep".to_owned(), json!(KeepView::from(keep)));
    }
    if !then.is_empty() {
        said.insert("then".to_owned(), then.iter().map(job_json).collect());
    }
    said
}
