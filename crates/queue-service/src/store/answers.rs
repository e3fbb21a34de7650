//! The answers to an enqueue, to a wait and to a change.

use super::{
    call_error::unreadable,
    job_json::{reason, state},
};
use crate::wire::from_base64;
use bytes::Bytes;
use queue_core::{ContentType, Enqueued, Error, Failure, Payload, Reason, Result, Seq, State, Timestamp};
use serde::Deserialize;
use serde_json::value::RawValue;

/// The answer to an enqueue of many.
#[derive(Debug, Deserialize)]
pub(super) struct EnqueueJson {
    now_ms: i64,
    jobs: Vec<EnqueuedJson>,
}

#[derive(Debug, Deserialize)]
struct EnqueuedJson {
    seq: u64,
    outcome: String,
    state: Option<String>,
    result: Option<Box<RawValue>>,
    result_base64: Option<String>,
    content_type: Option<String>,
}

/// The answer to a wait.
#[derive(Debug, Deserialize)]
pub(super) struct OutcomeJson {
    pub(super) seq: Option<u64>,
    outcome: String,
    state: Option<String>,
    result: Option<Box<RawValue>>,
    result_base64: Option<String>,
    content_type: Option<String>,
    reason: Option<String>,
    error: Option<FullErrorJson>,
}

#[derive(Debug, Deserialize)]
struct FullErrorJson {
    name: String,
    message: String,
    details: Option<Box<RawValue>>,
    details_base64: Option<String>,
}

/// The answer to a change by ids.
#[derive(Debug, Deserialize)]
pub(super) struct ChangesJson {
    pub(super) items: Vec<ChangedJson>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ChangedJson {
    pub(super) outcome: String,
    pub(super) state: Option<String>,
}

/// How a wait ended.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Ended {
    /// The job is Completed, with this result.
    Completed(Payload),
    /// The job is Failed.
    Failed {
        /// Why.
        reason: Reason,
        /// The last failure, with its details.
        error: Option<Failure>,
    },
    /// The job is Cancelled.
    Cancelled {
        /// Why, without a request.
        reason: Option<Reason>,
    },
    /// The id now belongs to a newer life.
    Superseded,
    /// The job was seen, and then found removed.
    Expired,
    /// There is no job of this id.
    Unknown,
    /// The job goes on, in this state when it was last read.
    Pending {
        /// Its state.
        state: Option<State>,
    },
}

impl EnqueueJson {
    pub(super) fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.now_ms)
    }

    /// The answers as a store gives them.
    ///
    /// # Errors
    /// `Corrupt` for an answer that no service of this version gives.
    pub(super) fn answers(&self) -> Result<Vec<Enqueued>> {
        self.jobs.iter().map(EnqueuedJson::answer).collect()
    }
}

impl EnqueuedJson {
    fn answer(&self) -> Result<Enqueued> {
        let seq = Seq::new(self.seq);
        match self.outcome.as_str() {
            "queued" => Ok(Enqueued::Queued { seq }),
            "duplicate" => {
                let name = self.state.as_deref().unwrap_or_default();
                Ok(Enqueued::Duplicate { seq, state: state(name)? })
            }
            "completed" => {
                let result = data("enqueue", self.result.as_deref(), self.result_base64.as_deref())?;
                let result = result.map(|bytes| payload(bytes, self.content_type.as_deref()));
                Ok(Enqueued::Completed { seq, result: result.transpose()? })
            }
            "orphaned" => Ok(Enqueued::Orphaned),
            other => Err(unreadable("enqueue", other).unknown()),
        }
    }
}

impl OutcomeJson {
    /// How the wait ended.
    ///
    /// # Errors
    /// `Corrupt` for an answer that no service of this version gives.
    pub(super) fn ended(&self) -> Result<Ended> {
        let why = self.reason.as_deref().map(reason).transpose()?;
        Ok(match self.outcome.as_str() {
            "completed" => {
                let bytes = data("wait", self.result.as_deref(), self.result_base64.as_deref())?;
                // Serde reads the JSON `null` as a field that is absent.
                let bytes = bytes.unwrap_or_else(|| Bytes::from_static(b"null"));
                Ended::Completed(payload(bytes, self.content_type.as_deref())?)
            }
            "failed" => Ended::Failed {
                reason: why.ok_or_else(|| unreadable("wait", "no reason"))?,
                error: self.error.as_ref().map(FullErrorJson::failure).transpose()?,
            },
            "cancelled" => Ended::Cancelled { reason: why },
            "superseded" => Ended::Superseded,
            "expired" => Ended::Expired,
            "unknown" => Ended::Unknown,
            "pending" => Ended::Pending { state: self.state.as_deref().map(state).transpose()? },
            other => return Err(unreadable("wait", other)),
        })
    }
}

impl FullErrorJson {
    fn failure(&self) -> Result<Failure> {
        let failure = Failure::new(&self.name, &self.message);
        let details = data("wait", self.details.as_deref(), self.details_base64.as_deref())?;
        Ok(match details {
            Some(details) => failure.with_details(details),
            None => failure,
        })
    }
}

/// Bytes as a `SentData` of `queue-view` has them; `None` if there are none.
fn data(operation: &'static str, json: Option<&RawValue>, base64: Option<&str>) -> Result<Option<Bytes>> {
    match (base64, json) {
        (Some(encoded), _) => {
            let bytes = from_base64(encoded);
            let bytes = bytes.ok_or_else(|| unreadable(operation, "data that is no base64"))?;
            Ok(Some(bytes.into()))
        }
        (None, json) => Ok(json.map(|json| json.get().to_owned().into())),
    }
}

fn payload(bytes: Bytes, content_type: Option<&str>) -> Result<Payload, Error> {
    Ok(Payload::new(bytes, ContentType::new(content_type.unwrap_or("application/json"))?))
}
