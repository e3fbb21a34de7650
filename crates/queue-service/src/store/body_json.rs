//! What a job carries, as the service shows it to a reader of payloads.

use super::call_error::unreadable;
use crate::wire::from_base64;
use bytes::Bytes;
use queue_core::{ContentType, EndSignal, Headers, JobBody, JobId, Payload, Result};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

const VERB: &str = "get";

/// The answer to a read of a body.
#[derive(Debug, Deserialize)]
pub(super) struct BodyJson {
    /// The life that it belongs to.
    pub(super) seq: u64,
    headers: BTreeMap<String, String>,
    payload: DataJson,
    result: Option<DataJson>,
    error_details: Option<DataJson>,
    progress: Option<DataJson>,
    #[serde(default)]
    end_signals: Vec<EndSignalJson>,
}

/// A `DataView` of `queue-view`.
#[derive(Debug, Deserialize)]
struct DataJson {
    json: Option<Box<RawValue>>,
    text: Option<String>,
    base64: Option<String>,
    content_type: Option<String>,
}

#[derive(Debug, Deserialize)]
struct EndSignalJson {
    to: String,
    raises: bool,
    tolerant: bool,
    urgent: bool,
}

impl BodyJson {
    /// The body, byte for byte.
    ///
    /// # Errors
    /// `Invalid` and `Corrupt` for a part that no service of this version writes.
    pub(super) fn body(&self) -> Result<JobBody> {
        let bytes = |data: &Option<DataJson>| data.as_ref().map(DataJson::bytes).transpose();
        Ok(JobBody {
            payload: self.payload.payload()?,
            headers: Headers::new(self.headers.clone())?,
            result: self.result.as_ref().map(DataJson::payload).transpose()?,
            error_details: bytes(&self.error_details)?,
            end_signals: self.end_signals.iter().map(EndSignalJson::signal).collect::<Result<_>>()?,
        })
    }

    /// What the handler reported last.
    ///
    /// # Errors
    /// As for [`body`](Self::body).
    pub(super) fn progress(&self) -> Result<Option<Box<Bytes>>> {
        Ok(self.progress.as_ref().map(DataJson::bytes).transpose()?.map(Box::new))
    }
}

impl DataJson {
    fn payload(&self) -> Result<Payload> {
        let content_type = self.content_type.as_deref().unwrap_or("application/octet-stream");
        Ok(Payload::new(self.bytes()?, ContentType::new(content_type)?))
    }

    fn bytes(&self) -> Result<Bytes> {
        if let Some(encoded) = &self.base64 {
            let bytes = from_base64(encoded).ok_or_else(|| unreadable(VERB, "data that is no base64"))?;
            return Ok(bytes.into());
        }
        // Serde reads the JSON `null` as a field that is absent.
        let json = || self.json.as_ref().map_or("null", |json| json.get());
        Ok(self.text.as_deref().unwrap_or_else(json).to_owned().into())
    }
}

impl EndSignalJson {
    fn signal(&self) -> Result<EndSignal> {
        let Self { to, raises, tolerant, urgent } = self;
        let to = EndSignal::to(JobId::new(to)?);
        Ok(EndSignal { raises: *raises, tolerant: *tolerant, urgent: *urgent, ..to })
    }
}
