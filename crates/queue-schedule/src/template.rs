//! The job that a schedule enqueues at each tick, as a part of the stored schedule.

use crate::{
    ScheduleError, Tick,
    stored_job::{StoredJob, StoredPayload},
    tick::PLACE,
};
use bytes::Bytes;
use queue_core::{JobId, NewJob, OnFailed, OnWaiting, Payload, Span, Timestamp};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The most bytes of headers that a caller adds to a job, for its trace.
const TRACE_BYTES_MAX: usize = 256;

const JSON: &str = "application/json";
/// The id of the template stands for the id of each tick.
const OF_A_TICK: &str = "tick";

/// The job that a schedule enqueues at each tick: a whole [`NewJob`], so that a schedule keeps
/// every option that an enqueue has. Its id comes from the tick, and the payload may contain the
/// place of the tick.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "StoredJob", into = "StoredJob")]
pub struct Template(NewJob);

impl Template {
    /// A template from a job that was made for it. Only its id is not kept.
    ///
    /// # Errors
    /// [`ScheduleError::Option`] for an option that has no meaning for the job of a tick.
    pub fn of(job: &NewJob) -> Result<Self, ScheduleError> {
        match meaningless(job) {
            Some((option, why)) => Err(ScheduleError::Option { option, why }),
            None => Ok(Self(NewJob { id: JobId::from_static(OF_A_TICK), ..job.clone() })),
        }
    }

    /// The job with the place of the tick in its payload. Its id stands for that of each tick.
    pub fn as_job(&self) -> &NewJob {
        &self.0
    }

    /// The kind of the jobs.
    pub fn kind(&self) -> &str {
        self.0.kind.as_str()
    }

    /// The payload for people; bytes that are not UTF-8 are shown with replacement characters.
    pub fn payload_shown(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.0.payload.bytes)
    }

    /// How many bytes the payload takes in the stored schedule.
    pub(crate) fn payload_stored_bytes(&self) -> usize {
        serde_json::to_vec(&StoredPayload::of(&self.0.payload.bytes)).map_or(0, |stored| stored.len())
    }

    /// The job of one tick, due after `delay` and the template's own delay.
    pub fn job(&self, id: JobId, tick: Timestamp, delay: Span) -> NewJob {
        let later = |span: Span| Span::from_millis(span.as_millis().saturating_add(delay.as_millis()));
        NewJob {
            id,
            payload: Payload::new(self.payload_at(tick), self.0.payload.content_type.clone()),
            delay: later(self.0.delay),
            expires_in: self.0.expires_in.map(later),
            ..self.0.clone()
        }
    }

    /// The most bytes that the job of a tick takes of a call.
    pub(crate) fn bytes_max(&self) -> usize {
        self.payload_at(Tick::longest()).len() + self.0.headers.bytes() + TRACE_BYTES_MAX
    }

    fn payload_at(&self, tick: Timestamp) -> Bytes {
        let bytes = &self.0.payload.bytes;
        match std::str::from_utf8(bytes) {
            Ok(text) if self.is_json() => with_tick(text, tick).into(),
            _ => bytes.clone(),
        }
    }

    /// Whether a payload that is not JSON contains the placeholder for the tick.
    pub(crate) fn misplaces_tick(&self) -> bool {
        let mut windows = self.0.payload.bytes.windows(PLACE.len());
        !self.is_json() && windows.any(|window| window == PLACE.as_bytes())
    }

    fn is_json(&self) -> bool {
        self.0.payload.content_type.as_str() == JSON
    }
}

impl TryFrom<StoredJob> for Template {
    type Error = String;

    fn try_from(stored: StoredJob) -> Result<Self, String> {
        let job = stored.job(JobId::from_static(OF_A_TICK))?;
        Self::of(&job).map_err(|error| error.to_string())
    }
}

impl From<Template> for StoredJob {
    fn from(template: Template) -> Self {
        Self::of(template.0)
    }
}

/// An option that has no meaning for the job of a tick, and why.
fn meaningless(job: &NewJob) -> Option<(&'static str, &'static str)> {
    const ID: &str =
        "each job has the id of its tick, which no other job has; leave it at its default, to block";
    if job.on_failed != OnFailed::Block {
        return Some(("on_failed", ID));
    }
    if job.on_waiting != OnWaiting::Block {
        return Some(("on_waiting", ID));
    }
    if job.gate.is_some() {
        return Some(("gate", "the job of a tick waits for its tick alone"));
    }
    if !job.end_signals.is_empty() {
        return Some(("end_signals", "the jobs of all ticks would signal the same life of a job"));
    }
    job.awaited.then_some(("awaited", "no producer waits for the job of a tick"))
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
