//! The job that a schedule enqueues at each tick, as a part of the stored schedule.

use crate::{ScheduleError, Tick, tick::PLACE};
use bytes::Bytes;
use queue_core::{
    Budget, ContentType, Headers, JobId, Kind, NewJob, Payload, Retention, RetentionPolicy, Span, Tag, Tags,
    Timestamp,
};
use serde::{Deserialize, Serialize};
use std::{borrow::Cow, collections::BTreeMap};

/// The job that a schedule enqueues at each tick: all of a [`NewJob`] except its id, which comes
/// from the tick.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Template {
    kind: String,
    content_type: String,
    payload: StoredPayload,
    #[serde(default, skip_serializing_if = "is_default")]
    priority: i16,
    #[serde(default, skip_serializing_if = "is_default")]
    delay_ms: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expires_in_ms: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    time_limit_ms: Option<i64>,
    max_attempts: u32,
    max_stalls: u32,
    keep_completed: i64,
    keep_failed: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    on_failure: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    headers: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
}

/// Text is kept as text, so that people can read a stored schedule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
enum StoredPayload {
    Text(String),
    Bytes(Vec<u8>),
}

/// The most bytes of headers that a caller adds to a job, for its trace.
const TRACE_BYTES_MAX: usize = 256;

const JSON: &str = "application/json";

impl Template {
    /// A template from a job that was made for it; the id and the options about ids are dropped.
    pub fn of(job: &NewJob) -> Self {
        let payload = match std::str::from_utf8(&job.payload.bytes) {
            Ok(text) => StoredPayload::Text(text.to_owned()),
            Err(_) => StoredPayload::Bytes(job.payload.bytes.to_vec()),
        };
        Self {
            kind: job.kind.as_str().to_owned(),
            content_type: job.payload.content_type.as_str().to_owned(),
            payload,
            priority: job.priority,
            delay_ms: job.delay.as_millis(),
            expires_in_ms: job.expires_in.map(Span::as_millis),
            time_limit_ms: job.time_limit.map(Span::as_millis),
            max_attempts: job.max_attempts.as_raw(),
            max_stalls: job.max_stalls.as_raw(),
            keep_completed: job.retention.completed.as_raw(),
            keep_failed: job.retention.failed.as_raw(),
            on_failure: job.on_failure.as_ref().map(|kind| kind.as_str().to_owned()),
            headers: job.headers.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
            tags: job.tags.iter().map(|tag| tag.as_str().to_owned()).collect(),
        }
    }

    /// The kind of the jobs.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// The payload for people; bytes that are not UTF-8 are shown with replacement characters.
    pub fn payload_shown(&self) -> Cow<'_, str> {
        match &self.payload {
            StoredPayload::Text(text) => Cow::Borrowed(text),
            StoredPayload::Bytes(bytes) => String::from_utf8_lossy(bytes),
        }
    }

    /// How many bytes the payload takes in the stored schedule.
    pub(crate) fn payload_stored_bytes(&self) -> usize {
        serde_json::to_vec(&self.payload).map_or(0, |stored| stored.len())
    }

    /// The job of one tick, due after `delay` and the template's own delay.
    ///
    /// # Errors
    /// [`ScheduleError::UnreadableHere`] if a stored part is not valid in this version.
    pub fn job(&self, id: JobId, tick: Timestamp, delay: Span) -> Result<NewJob, ScheduleError> {
        let kind = Kind::new(&self.kind).map_err(unreadable)?;
        let content_type = ContentType::new(&self.content_type).map_err(unreadable)?;
        let mut job = NewJob::new(id, kind, Payload::new(self.payload_at(tick), content_type));
        job.priority = self.priority;
        job.delay = Span::from_millis(self.delay_ms.saturating_add(delay.as_millis()));
        job.expires_in =
            self.expires_in_ms.map(|millis| Span::from_millis(millis.saturating_add(delay.as_millis())));
        job.time_limit = self.time_limit_ms.map(Span::from_millis);
        job.max_attempts = Budget::from_raw(self.max_attempts);
        job.max_stalls = Budget::from_raw(self.max_stalls);
        job.retention = RetentionPolicy {
            completed: retention(self.keep_completed)?,
            failed: retention(self.keep_failed)?,
        };
        job.on_failure = self.on_failure.as_ref().map(Kind::new).transpose().map_err(unreadable)?;
        job.headers = Headers::new(&self.headers).map_err(unreadable)?;
        let tags: Result<Vec<Tag>, _> = self.tags.iter().map(Tag::new).collect();
        job.tags = Tags::new(tags.map_err(unreadable)?).map_err(unreadable)?;
        Ok(job)
    }

    /// Whether a version of this library that keeps neither headers nor tags would lose some.
    pub(crate) fn has_labels(&self) -> bool {
        !self.headers.is_empty() || !self.tags.is_empty()
    }

    /// The most bytes that the job of a tick takes of a call.
    pub(crate) fn bytes_max(&self) -> usize {
        let headers: usize = self.headers.iter().map(|(name, value)| name.len() + value.len()).sum();
        self.payload_at(Tick::longest()).len() + headers + TRACE_BYTES_MAX
    }

    fn payload_at(&self, tick: Timestamp) -> Bytes {
        match &self.payload {
            StoredPayload::Text(text) if self.content_type == JSON => with_tick(text, tick).into(),
            StoredPayload::Text(text) => Bytes::copy_from_slice(text.as_bytes()),
            StoredPayload::Bytes(bytes) => Bytes::copy_from_slice(bytes),
        }
    }

    /// Whether a payload that is not JSON contains the placeholder for the tick.
    pub(crate) fn misplaces_tick(&self) -> bool {
        let bytes = match &self.payload {
            StoredPayload::Text(text) => text.as_bytes(),
            StoredPayload::Bytes(bytes) => bytes,
        };
        self.content_type != JSON && bytes.windows(PLACE.len()).any(|window| window == PLACE.as_bytes())
    }
}

/// Replaces each JSON string that is the placeholder by the tick. A quote with a backslash before
/// it lies within a string, which may well end with the placeholder; the quotes around a string
/// have none.
fn with_tick(json: &str, tick: Timestamp) -> String {
    let tick = Tick::from(tick).to_string();
    let mut out = String::with_capacity(json.len() + tick.len());
    let place = format!("\"{PLACE}\"");
    let mut parts = json.split(&place);
    out.extend(parts.next());
    for part in parts {
        let filling = if out.ends_with('\\') { PLACE } else { &tick };
        out.extend(["\"", filling, "\"", part]);
    }
    out
}

fn retention(raw: i64) -> Result<Retention, ScheduleError> {
    Retention::from_raw(raw)
        .ok_or_else(|| ScheduleError::UnreadableHere { reason: format!("{raw} is no retention") })
}

fn unreadable(error: impl std::fmt::Display) -> ScheduleError {
    ScheduleError::UnreadableHere { reason: error.to_string() }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
