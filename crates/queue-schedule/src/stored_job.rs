//! The job of a schedule in its stored form: JSON that people can read.

use bytes::Bytes;
use queue_core::{
    ContentType, Headers, JobId, Kind, NewJob, OnFailed, OnWaiting, Partition, Payload, SharedTerms, Span,
    Tag, Tags,
};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fmt::Display};

/// A [`NewJob`] without its id and without the options that have no meaning for the job of a tick.
/// Both directions name every field of a job, so a new one does not compile until it is here or is
/// refused. A field that this version does not know is an error: a worker that ignored it would
/// enqueue another job than the schedule says.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StoredJob {
    kind: String,
    content_type: String,
    payload: StoredPayload,
    #[serde(default, skip_serializing_if = "is_default")]
    priority: i16,
    #[serde(default, skip_serializing_if = "is_default")]
    delay_ms: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expires_in_ms: Option<i64>,
    /// [`SharedTerms::to_bytes`]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    terms: Vec<u8>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    headers: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    partition: Option<String>,
}

/// Text is kept as text, so that people can read a stored schedule.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum StoredPayload {
    Text(String),
    Bytes(Vec<u8>),
}

impl StoredPayload {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        std::str::from_utf8(bytes)
            .map_or_else(|_| Self::Bytes(bytes.to_vec()), |text| Self::Text(text.to_owned()))
    }

    fn bytes(self) -> Bytes {
        match self {
            Self::Text(text) => text.into(),
            Self::Bytes(bytes) => bytes.into(),
        }
    }
}

impl StoredJob {
    pub(crate) fn of(job: NewJob) -> Self {
        let NewJob {
            id: _,
            kind,
            payload: Payload { bytes, content_type },
            headers,
            tags,
            priority,
            delay,
            expires_in,
            terms,
            on_failed: _,
            on_waiting: _,
            awaited: _,
            gate: _,
            end_signals: _,
            partition,
        } = job;
        Self {
            kind: kind.as_str().to_owned(),
            content_type: content_type.as_str().to_owned(),
            payload: StoredPayload::of(&bytes),
            priority,
            delay_ms: delay.as_millis(),
            expires_in_ms: expires_in.map(Span::as_millis),
            terms: terms.to_bytes(),
            headers: headers.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
            tags: tags.iter().map(|tag| tag.as_str().to_owned()).collect(),
            partition: partition.map(|partition| partition.as_str().to_owned()),
        }
    }

    /// The job, or what is wrong with one of its fields.
    pub(crate) fn job(self, id: JobId) -> Result<NewJob, String> {
        let tags: Result<Vec<Tag>, _> = self.tags.iter().map(Tag::new).collect();
        Ok(NewJob {
            id,
            kind: Kind::new(self.kind).map_err(text)?,
            payload: Payload::new(self.payload.bytes(), ContentType::new(&self.content_type).map_err(text)?),
            headers: Headers::new(self.headers).map_err(text)?,
            tags: Tags::new(tags.map_err(text)?).map_err(text)?,
            priority: self.priority,
            delay: Span::from_millis(self.delay_ms),
            expires_in: self.expires_in_ms.map(Span::from_millis),
            terms: SharedTerms::from_bytes(&self.terms).map_err(text)?,
            on_failed: OnFailed::Block,
            on_waiting: OnWaiting::Block,
            awaited: false,
            gate: None,
            end_signals: Vec::new(),
            partition: self.partition.map(Partition::new).transpose().map_err(text)?,
        })
    }
}

fn text(error: impl Display) -> String {
    error.to_string()
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
