use crate::{JobMeta, Payload};
use bytes::Bytes;

/// A job as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobRecord {
    /// The small part.
    pub meta: JobMeta,
    /// The large part, present when it was asked for.
    pub body: Option<JobBody>,
}

/// The parts of a job whose size is up to its author.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobBody {
    /// What the handler gets.
    pub payload: Payload,
    /// What a Completed job's handler returned.
    pub result: Option<Payload>,
    /// Structured details of the last failure.
    pub error_details: Option<Bytes>,
}

impl JobRecord {
    /// The result, if the job is Completed and the body was read.
    pub fn result(&self) -> Option<&Payload> {
        self.body.as_ref().and_then(|body| body.result.as_ref())
    }
}
