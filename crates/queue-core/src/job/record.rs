//! A job as a store returns it: its metadata and its large parts.

use crate::{EndSignal, Headers, JobMeta, NewJob, Payload};
use bytes::Bytes;

/// A job as a store returns it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobRecord {
    /// The small part, which is always present.
    pub meta: JobMeta,
    /// The large part. `None` if it was not requested, or if the answer had no room for it (see
    /// [`Limits::answer_bytes_max`](crate::Limits::answer_bytes_max)); in the second case ask for
    /// it again.
    pub body: Option<JobBody>,
}

/// The parts of a job whose size depends on the application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobBody {
    /// The input of the handler.
    pub payload: Payload,
    /// The headers that the handler gets beside the payload.
    pub headers: Headers,
    /// The result that the handler of a Completed job returned.
    pub result: Option<Payload>,
    /// Structured details of the last failure.
    pub error_details: Option<Bytes>,
    /// What the job sends at its end, or has sent, each with the life that it is to. A signal to a
    /// job that was not there is not kept.
    pub end_signals: Vec<EndSignal>,
}

impl JobBody {
    /// The body of a job that was just enqueued.
    pub fn begin(new: NewJob) -> Self {
        Self {
            payload: new.payload,
            headers: new.headers,
            result: None,
            error_details: None,
            end_signals: new.end_signals,
        }
    }

    /// The bytes that the body takes in an answer. Headers are small, and do not count.
    pub fn len(&self) -> usize {
        let result = self.result.as_ref().map_or(0, |result| result.bytes.len());
        self.payload.bytes.len() + result + self.error_details.as_ref().map_or(0, Bytes::len)
    }

    /// Whether the body takes no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl JobRecord {
    /// The result, if the job is Completed and the body was read.
    pub fn result(&self) -> Option<&Payload> {
        self.body.as_ref().and_then(|body| body.result.as_ref())
    }
}
