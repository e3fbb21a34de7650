//! The details of a job in words, and its line in a listing as an object.

use queue::{Status, view::DataView};
use queue::{
    queue_core::{Tag, Tags},
    view::{JobReading, JobView, standing_words},
};
use serde_json::{Value, json};

/// A job of a listing as an object: its JSON, when it was read, and its progress if it has one.
pub(crate) fn job(status: &Status) -> Value {
    let mut object = json!(JobView::of(&status.meta, status.now));
    object["now_ms"] = json!(status.now.as_millis());
    put_progress(&mut object, status.progress());
    object
}

/// Adds what the handler reported last to the object of a job.
pub(crate) fn put_progress(object: &mut Value, progress: Option<&[u8]>) {
    if let Some(progress) = progress {
        object["progress"] = json!(DataView::of(progress));
    }
}

/// The tags in one line.
pub(crate) fn tags(tags: &Tags) -> String {
    tags.iter().map(Tag::as_str).collect::<Vec<_>>().join(", ")
}

/// What matters to a person about a job.
pub(crate) fn details(reading: &JobReading) -> Vec<(&'static str, String)> {
    let meta = &reading.meta;
    let mut pairs = vec![
        ("id", meta.id.to_string()),
        ("queue", meta.queue.to_string()),
        ("state", standing_words(meta, reading.now)),
    ];
    pairs.extend(reading.facts().into_iter().map(|fact| (fact.label, fact.value)));
    if let Some(progress) = meta.progress() {
        pairs.push(("progress", String::from_utf8_lossy(progress).into_owned()));
    }
    if let Some(error) = &meta.last_error {
        pairs.push(("last error", error.to_string()));
    }
    pairs
}
