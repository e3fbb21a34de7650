use queue_core::{
    Detail, JobBody, JobRecord, Payload,
    lifecycle::{BodyPatch, TrackedJob},
};

/// One record, whole: what a journal writes and loads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredJob {
    /// The small part, with what only a store knows.
    pub job: TrackedJob,
    /// The large part.
    pub body: JobBody,
    /// The length of the payload, wherever its bytes are kept.
    pub payload_len: u32,
}

impl StoredJob {
    /// A job that was just enqueued, or one without a result.
    pub fn new(job: TrackedJob, payload: Payload) -> Self {
        let payload_len = u32::try_from(payload.bytes.len()).unwrap_or(u32::MAX);
        Self { job, body: JobBody { payload, result: None, error_details: None }, payload_len }
    }

    pub(super) fn result(&self) -> Option<&Payload> {
        self.body.result.as_ref()
    }

    pub(super) fn patch_body(&mut self, patch: BodyPatch) {
        match patch {
            BodyPatch::Keep => {}
            BodyPatch::Result(result) => self.body.result = Some(result),
            BodyPatch::ErrorDetails(details) => self.body.error_details = details,
            BodyPatch::Clear => (self.body.result, self.body.error_details) = (None, None),
        }
    }

    pub(super) fn record(&self, what: Detail) -> JobRecord {
        let body = (what == Detail::Full).then(|| self.body.clone());
        JobRecord { meta: self.job.meta.clone(), body }
    }
}
