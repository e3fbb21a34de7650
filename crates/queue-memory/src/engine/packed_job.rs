//! The record of a job, packed: rare fields are boxed, common ones shared.

use super::course::{Course, NO_COURSE, course_of, has_course};
use bytes::Bytes;
use queue_core::{
    Attempt, ContentType, Detail, EndSignal, Headers, JobBody, JobChange, JobId, JobMeta, JobRecord, Kind,
    Partition, Payload, QueueName, Reason, Seq, SharedTerms, Signalling, Span, State, Tags, Timestamp,
    lifecycle::{BodyPatch, TrackedJob},
};
use std::sync::Arc;

/// One record, whole: what a journal writes and loads.
///
/// Records are packed, since a backlog is made of these: fields that jobs of a queue have in common
/// are shared, and fields that the first claim sets take no memory before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackedJob {
    /// What is set once, and alike in most jobs of a queue.
    pub traits: Arc<Traits>,
    /// Its id within the queue.
    pub id: JobId,
    /// Which life.
    pub seq: Seq,
    /// Grows with every write to the record.
    pub revision: u64,
    /// When this life was enqueued.
    pub created_at: Timestamp,
    /// Not claimed before this.
    pub run_at: Timestamp,
    /// Claims in this life.
    pub epoch: u64,
    /// Failed attempts.
    pub failures: u32,
    /// Lapsed leases.
    pub stalls: u32,
    /// The length of the payload, wherever its bytes are kept.
    pub payload_len: u32,
    /// Lower is claimed first.
    pub priority: i16,
    /// Its state.
    pub state: State,
    /// Why it is Failed, or Cancelled without a request.
    pub reason: Option<Reason>,
    /// A cancel was requested while it ran.
    pub cancel_requested: bool,
    /// A caller waits, or waited, for its outcome.
    pub awaited: bool,
    /// It does not expire any more.
    pub expiry_lifted: bool,
    /// Whether it has end signals, and whether they are sent.
    pub signalling: Signalling,
    /// The bytes of the payload.
    pub payload: Bytes,
    /// What the handler gets beside it.
    pub headers: Headers,
    /// What a job has only once it was claimed or is over.
    pub course: Option<Box<Course>>,
}

/// What is set once, and alike in most jobs of a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Traits {
    /// The queue it lives in.
    pub queue: QueueName,
    /// What the job asks for.
    pub kind: Kind,
    /// How the payload is encoded.
    pub content_type: ContentType,
    /// What was agreed about it.
    pub terms: SharedTerms,
    /// How long it may wait for its start.
    pub expires_in: Option<Span>,
    /// What it is found by.
    pub tags: Tags,
    /// Where it takes its turn.
    pub partition: Option<Partition>,
}

impl Traits {
    /// Whether it has what indexes find it by beside its state and times.
    pub(super) fn has_labels(&self) -> bool {
        !self.tags.is_empty() || self.partition.is_some()
    }
}

impl PackedJob {
    /// Packs a job. `share` answers its traits, shared with others that have the same.
    pub(super) fn pack(
        job: TrackedJob,
        body: JobBody,
        payload_len: u32,
        share: impl FnOnce(Traits) -> Arc<Traits>,
    ) -> Self {
        let course = course_of(&job, &body);
        let meta = job.meta;
        let payload = body.payload;
        let traits = Traits {
            queue: meta.queue,
            kind: meta.kind,
            content_type: payload.content_type,
            terms: meta.terms,
            expires_in: meta.expires_in,
            tags: meta.tags,
            partition: meta.partition,
        };
        Self {
            traits: share(traits),
            id: meta.id,
            seq: meta.seq,
            revision: meta.revision,
            created_at: meta.created_at,
            run_at: meta.run_at,
            epoch: meta.epoch,
            failures: meta.failures,
            stalls: meta.stalls,
            payload_len,
            priority: meta.priority,
            state: meta.state,
            reason: meta.reason,
            cancel_requested: meta.cancel_requested,
            awaited: meta.awaited,
            expiry_lifted: meta.expiry_lifted,
            signalling: meta.signalling,
            payload: payload.bytes,
            headers: body.headers,
            course,
        }
    }

    /// The queue it lives in.
    pub fn queue(&self) -> &QueueName {
        &self.traits.queue
    }

    /// What a job has only once it was claimed or is over; empty before.
    pub fn course(&self) -> &Course {
        self.course.as_deref().unwrap_or(&NO_COURSE)
    }

    /// Everything about it that is small and may be shown.
    pub fn meta(&self) -> JobMeta {
        let traits = &*self.traits;
        let course = self.course();
        JobMeta {
            queue: traits.queue.clone(),
            id: self.id.clone(),
            seq: self.seq,
            revision: self.revision,
            kind: traits.kind.clone(),
            tags: traits.tags.clone(),
            priority: self.priority,
            created_at: self.created_at,
            run_at: self.run_at,
            state: self.state,
            reason: self.reason,
            epoch: self.epoch,
            failures: self.failures,
            stalls: self.stalls,
            expires_in: traits.expires_in,
            expiry_lifted: self.expiry_lifted,
            terms: traits.terms.clone(),
            lease: course.lease.clone(),
            claimed_at: course.claimed_at,
            cancel_requested: self.cancel_requested,
            awaited: self.awaited,
            progress: course.progress.clone(),
            last_error: course.last_error.clone(),
            failed_at: course.failed_at,
            finished_at: course.finished_at,
            purge_at: course.purge_at,
            gate: course.gate().copied().map(Box::new),
            signalling: self.signalling,
            partition: traits.partition.clone(),
        }
    }

    /// The same with what only the store knows.
    pub fn tracked(&self) -> TrackedJob {
        let course = self.course();
        TrackedJob { meta: self.meta(), token: course.token, last_settle: course.last_settle }
    }

    /// Payload, result and details, as far as they are in memory.
    pub fn body(&self) -> JobBody {
        let content_type = self.traits.content_type.clone();
        let course = self.course();
        JobBody {
            payload: Payload { bytes: self.payload.clone(), content_type },
            headers: self.headers.clone(),
            result: course.result.clone(),
            error_details: course.error_details.clone(),
            end_signals: course.end_signals().to_vec(),
        }
    }

    /// Takes over what a life changes; everything else is as it was.
    pub fn track(&mut self, job: &TrackedJob) {
        let meta = &job.meta;
        (self.revision, self.epoch, self.run_at) = (meta.revision, meta.epoch, meta.run_at);
        (self.failures, self.stalls) = (meta.failures, meta.stalls);
        (self.state, self.reason, self.expiry_lifted) = (meta.state, meta.reason, meta.expiry_lifted);
        (self.cancel_requested, self.awaited) = (meta.cancel_requested, meta.awaited);
        (self.priority, self.signalling) = (meta.priority, meta.signalling);
        if self.traits.terms != meta.terms {
            self.retrait(|traits| traits.terms = meta.terms.clone());
        }
        if self.course.is_some() || has_course(job) {
            let course = self.course.get_or_insert_default();
            (course.token, course.last_settle) = (job.token, job.last_settle);
            (course.finished_at, course.purge_at) = (meta.finished_at, meta.purge_at);
            (course.claimed_at, course.failed_at) = (meta.claimed_at, meta.failed_at);
            course.lease.clone_from(&meta.lease);
            course.progress.clone_from(&meta.progress);
            if course.last_error != meta.last_error {
                course.last_error.clone_from(&meta.last_error);
            }
            if course.gate() != meta.gate.as_deref() {
                course.rare_mut().gate = meta.gate.as_deref().copied();
            }
        }
    }

    /// Changes the result.
    pub fn set_result(&mut self, result: Option<Payload>) {
        if result.is_some() || self.course.is_some() {
            self.course.get_or_insert_default().result = result;
        }
    }

    /// Changes the details of the last failure.
    pub fn set_error_details(&mut self, details: Option<Bytes>) {
        if details.is_some() || self.course.is_some() {
            self.course.get_or_insert_default().error_details = details;
        }
    }

    /// Adds an attempt to those that were charged to it.
    pub fn charge(&mut self, attempt: Attempt) {
        Attempt::push(&mut self.course.get_or_insert_default().rare_mut().attempts, attempt);
    }

    /// Changes how the payload is said to be encoded, if given.
    pub fn set_content_type(&mut self, content_type: Option<ContentType>) {
        let Some(content_type) = content_type else { return };
        self.retrait(|traits| traits.content_type = content_type);
    }

    /// Changes the payload.
    pub fn set_payload(&mut self, payload: Payload) {
        if payload.content_type != self.traits.content_type {
            self.set_content_type(Some(payload.content_type));
        }
        self.payload_len = u32::try_from(payload.bytes.len()).unwrap_or(u32::MAX);
        self.payload = payload.bytes;
    }

    /// Changes what is set once. The traits are then shared with no other job: that is rare.
    fn retrait(&mut self, change: impl FnOnce(&mut Traits)) {
        let mut traits = Traits::clone(&self.traits);
        change(&mut traits);
        self.traits = Arc::new(traits);
    }

    /// What it sends at its end, or has sent, to change it.
    pub fn end_signals_mut(&mut self) -> &mut Vec<EndSignal> {
        &mut self.course.get_or_insert_default().rare_mut().end_signals
    }

    pub(super) fn patch_body(&mut self, patch: BodyPatch) {
        match patch {
            BodyPatch::Keep => {}
            BodyPatch::Result(result) => self.set_result(Some(result)),
            BodyPatch::ErrorDetails(details) => self.set_error_details(details),
            BodyPatch::Payload(payload) => self.set_payload(payload),
            BodyPatch::Clear { content_type } => {
                self.set_content_type(content_type);
                self.set_result(None);
                self.set_error_details(None);
            }
        }
    }

    pub(super) fn record(&self, what: Detail) -> JobRecord {
        JobRecord { meta: self.meta(), body: (what == Detail::Full).then(|| self.body()) }
    }

    /// The notice for subscribers after its removal.
    pub(super) fn farewell(&self) -> JobChange {
        JobChange { id: self.id.clone(), seq: self.seq, revision: self.revision, state: None }
    }

    pub(super) fn is_purged(&self, now: Timestamp) -> bool {
        self.course().purge_at.is_some_and(|at| at <= now)
    }
}
