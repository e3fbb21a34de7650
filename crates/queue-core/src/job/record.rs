use crate::{Headers, JobMeta, NewJob, Payload};
use bytes::Bytes;

/// A job as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobRecord {
    /// The small part.
    pub meta: JobMeta,
    /// The large part: `None` if it was not asked for, or if the answer had no room for it (see
    /// [`Limits::answer_bytes_max`](crate::Limits::answer_bytes_max)), and then it is to be asked for again.
    pub body: Option<JobBody>,
}

/// The parts of a job whose size is up to its author.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobBody {
    /// What the handler gets.
    pub payload: Payload,
    /// What it gets beside it.
    pub headers: Headers,
    /// What a Completed job's handler returned.
    pub result: Option<Payload>,
    /// Structured details of the last failure.
    pub error_details: Option<Bytes>,
}

impl JobBody {
    /// Of a job that was just enqueued.
    pub fn begin(new: NewJob) -> Self {
        Self { payload: new.payload, headers: new.headers, result: None, error_details: None }
    }

    /// How much of an answer it takes. Headers are small, and do not count.
    pub fn len(&self) -> usize {
        let result = self.result.as_ref().map_or(0, |result| result.bytes.len());
        self.payload.bytes.len() + result + self.error_details.as_ref().map_or(0, Bytes::len)
    }

    /// It takes nothing.
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
