//! Records, and the queues that hold them.

use bytes::Bytes;
use queue_core::{
    Attempt, Detail, EndSignal, Enqueued, Headers, JobBody, JobId, JobRecord, Kind, Pause, PausedKind,
    Payload, Seq, Timestamp,
    lifecycle::{BodyPatch, TrackedJob},
};
use std::collections::{BTreeMap, HashMap};

#[derive(Clone, Debug)]
pub(super) struct Record {
    pub(super) job: TrackedJob,
    pub(super) payload: Payload,
    /// The bytes of the payload with which a claim reckons.
    pub(super) payload_bytes: usize,
    pub(super) result: Option<Payload>,
    pub(super) error_details: Option<Bytes>,
    pub(super) headers: Headers,
    pub(super) attempts: Vec<Attempt>,
    pub(super) end_signals: Vec<EndSignal>,
}

/// One queue.
#[derive(Clone, Debug, Default)]
pub(super) struct Lane {
    pub(super) records: BTreeMap<Seq, Record>,
    pub(super) ids: HashMap<JobId, Seq>,
    /// The pauses of the queue, and of its kinds.
    pub(super) pauses: BTreeMap<Option<Kind>, Pause>,
    /// Whether the queue ever had a job, or was paused or resumed.
    pub(super) is_listed: bool,
    /// The numbers of stored results and pruned records, for some defects.
    pub(super) results: u64,
    pub(super) pruned: u64,
    /// The charged attempts of removed lives, as one defect remembers them.
    pub(super) former_attempts: HashMap<JobId, Vec<Attempt>>,
}

impl Lane {
    /// What is paused at this time: the queue, and kinds of it.
    pub(super) fn pauses_at(&self, now: Timestamp) -> (Pause, Vec<PausedKind>) {
        let at = |kind: &Option<Kind>| self.pauses.get(kind).copied().unwrap_or_default().at(now);
        let kinds = self.pauses.keys().flatten();
        let kinds = kinds.map(|kind| PausedKind { kind: kind.clone(), pause: at(&Some(kind.clone())) });
        (at(&None), kinds.filter(|paused| paused.pause.is_on()).collect())
    }
}

impl Record {
    pub(super) fn patch(&mut self, patch: BodyPatch) {
        match patch {
            BodyPatch::Keep => {}
            BodyPatch::Result(result) => self.result = Some(result),
            BodyPatch::ErrorDetails(details) => self.error_details = details,
            BodyPatch::Payload(payload) => {
                self.payload_bytes = payload.bytes.len();
                self.payload = payload;
            }
            BodyPatch::Clear { content_type } => {
                (self.result, self.error_details) = (None, None);
                if let Some(content_type) = content_type {
                    self.payload.content_type = content_type;
                }
            }
        }
    }

    pub(super) fn read(&self, what: Detail) -> JobRecord {
        let body = JobBody {
            payload: self.payload.clone(),
            headers: self.headers.clone(),
            result: self.result.clone(),
            error_details: self.error_details.clone(),
            end_signals: self.end_signals.clone(),
        };
        JobRecord { meta: self.job.meta.clone(), body: (what == Detail::Full).then_some(body) }
    }

    /// The answer to an enqueue of the same id.
    pub(super) fn taken(&self) -> Enqueued {
        let meta = &self.job.meta;
        match &self.result {
            Some(result) => Enqueued::Completed { seq: meta.seq, result: Some(result.clone()) },
            None => Enqueued::Duplicate { seq: meta.seq, state: meta.state },
        }
    }
}

impl Lane {
    pub(super) fn by_id(&self, id: &JobId) -> Option<&Record> {
        self.ids.get(id).and_then(|seq| self.records.get(seq))
    }
}
