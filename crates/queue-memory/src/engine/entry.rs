use bytes::Bytes;
use queue_core::{
    Detail, JobBody, JobRecord, Payload,
    lifecycle::{BodyPatch, TrackedJob},
};

/// One record, whole.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) job: TrackedJob,
    payload: Payload,
    result: Option<Payload>,
    error_details: Option<Bytes>,
}

impl Entry {
    pub(super) fn new(job: TrackedJob, payload: Payload) -> Self {
        Self { job, payload, result: None, error_details: None }
    }

    pub(super) fn result(&self) -> Option<&Payload> {
        self.result.as_ref()
    }

    pub(super) fn patch_body(&mut self, patch: BodyPatch) {
        match patch {
            BodyPatch::Keep => {}
            BodyPatch::Result(result) => self.result = Some(result),
            BodyPatch::ErrorDetails(details) => self.error_details = details,
            BodyPatch::Clear => (self.result, self.error_details) = (None, None),
        }
    }

    pub(super) fn record(&self, what: Detail) -> JobRecord {
        let body = (what == Detail::Full).then(|| JobBody {
            payload: self.payload.clone(),
            result: self.result.clone(),
            error_details: self.error_details.clone(),
        });
        JobRecord { meta: self.job.meta.clone(), body }
    }
}
