//! The fields that a transition writes.

use crate::{
    ContentType, Failure, JobBody, Payload, Reason, SharedTerms, Span, State, Timestamp,
    lifecycle::{CloseGate, Flags},
};
use bytes::Bytes;

/// The fields that a transition writes. Times are relative, since only the store knows its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Patch {
    /// The job waits again.
    Requeue(Requeue),
    /// The job becomes terminal.
    Finish(Finish),
    /// The record is removed, with everything that belongs to it.
    Remove,
    /// The lease is extended.
    Extend {
        /// The lease then lapses this long from now.
        by: Span,
        /// Replaces the stored progress, if given.
        progress: Option<Bytes>,
    },
    /// Sets those flags that are true.
    Flag(Flags),
    /// Moves the purge time of a terminal record.
    Retain(Purge),
    /// Changes a waiting job in place; its state and its charges stay.
    Amend(Amend),
    /// Seals the gate of an unfinished job.
    Seal,
}

/// The fields of [`Patch::Requeue`], which ends the lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requeue {
    /// Queued, or Failing if anything was charged in this life.
    pub state: State,
    /// When the job is due.
    pub run_at: RunAt,
    /// The new number of failures.
    pub failures: u32,
    /// The new number of stalls.
    pub stalls: u32,
    /// Replaces the last error, if given.
    pub error: Option<Failure>,
    /// Replaces the stored progress, if given; never given together with an error or with
    /// [`fresh`](Self::fresh).
    pub progress: Option<Bytes>,
    /// Clears error, result, progress, reason, the cancel flag, and the times of finish and purge.
    pub fresh: bool,
    /// Sets [`JobMeta::expiry_lifted`](crate::JobMeta::expiry_lifted); otherwise it stays as it is.
    pub lifts_expiry: bool,
    /// Replaces the payload's content type, if given; only given together with
    /// [`fresh`](Self::fresh).
    pub content_type: Option<ContentType>,
    /// Closes the gate of the job, if given, and gives it one if it has none.
    pub closes: Option<Box<CloseGate>>,
}

/// The fields of [`Patch::Finish`], which ends the lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finish {
    /// The terminal state.
    pub state: State,
    /// Why the job is Failed, or why it is Cancelled without a request.
    pub reason: Option<Reason>,
    /// The new number of failures.
    pub failures: u32,
    /// The new number of stalls.
    pub stalls: u32,
    /// The result of a Completed job.
    pub result: Option<Payload>,
    /// Replaces the last error, if given.
    pub error: Option<Failure>,
    /// When the record counts as absent.
    pub purge: Purge,
}

/// The fields of [`Patch::Amend`]; what is not given stays as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Amend {
    /// Replaces the payload; headers stay.
    pub payload: Option<Payload>,
    /// Replaces the priority.
    pub priority: Option<i16>,
    /// When the job is due.
    pub run_at: RunAt,
    /// Replaces the terms, all of them.
    pub terms: Option<SharedTerms>,
}

/// When a requeued job is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RunAt {
    /// The same time as before, so that the job keeps its place.
    Keep,
    /// The same time as before if it has passed, otherwise now, so that a job that is due already
    /// loses no place.
    Soonest,
    /// This long from now.
    After(Span),
}

/// When a terminal record counts as absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Purge {
    /// This long from now.
    After(Span),
    /// Never.
    Never,
}

/// What a patch does to the large parts of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BodyPatch {
    /// Nothing.
    Keep,
    /// Stores a result.
    Result(Payload),
    /// Stores the details of the last error; `None` removes the details of an earlier one.
    ErrorDetails(Option<Bytes>),
    /// Replaces the payload; headers stay.
    Payload(Payload),
    /// Removes result and error details.
    Clear {
        /// Replaces the payload's content type, if given.
        content_type: Option<ContentType>,
    },
}

impl Amend {
    /// The bytes of a new payload.
    pub(crate) fn payload_bytes(&self) -> usize {
        self.payload.as_ref().map_or(0, |payload| payload.bytes.len())
    }
}

impl RunAt {
    /// The due time; `before` is the job's due time so far.
    pub fn at(self, before: Timestamp, now: Timestamp) -> Timestamp {
        match self {
            Self::Keep => before,
            Self::Soonest => before.min(now),
            Self::After(span) => now + span,
        }
    }
}

impl Purge {
    /// The purge time; `None` for never.
    pub fn at(self, now: Timestamp) -> Option<Timestamp> {
        match self {
            Self::After(span) => Some(now + span),
            Self::Never => None,
        }
    }
}

impl BodyPatch {
    /// Patches a body that the store has in memory. Stores that keep the parts of a body apart
    /// write only the part that is named.
    ///
    /// ```
    /// use queue_core::{ContentType, JobBody, JobId, Kind, NewJob, Payload, lifecycle::BodyPatch};
    ///
    /// let text = |text: &'static str| Payload::new(text, ContentType::from_static("text/plain"));
    /// let mut body = JobBody::begin(NewJob::new(JobId::new("a")?, Kind::unnamed(), text("input")));
    /// BodyPatch::Result(text("output")).apply_to(&mut body);
    /// assert_eq!(body.result, Some(text("output")));
    /// BodyPatch::Clear { content_type: None }.apply_to(&mut body);
    /// assert_eq!((body.payload, body.result), (text("input"), None));
    /// # Ok::<(), queue_core::Error>(())
    /// ```
    pub fn apply_to(self, body: &mut JobBody) {
        match self {
            Self::Keep => {}
            Self::Result(result) => body.result = Some(result),
            Self::ErrorDetails(details) => body.error_details = details,
            Self::Payload(payload) => body.payload = payload,
            Self::Clear { content_type } => {
                (body.result, body.error_details) = (None, None);
                if let Some(content_type) = content_type {
                    body.payload.content_type = content_type;
                }
            }
        }
    }
}

impl Patch {
    /// Whether it closes or seals the gate of its job.
    pub const fn is_of_gate(&self) -> bool {
        match self {
            Self::Seal => true,
            Self::Requeue(requeue) => requeue.closes.is_some(),
            _ => false,
        }
    }

    /// What the patch does to the large parts of the record.
    pub fn body(&self) -> BodyPatch {
        match self {
            Self::Requeue(Requeue { fresh: true, content_type, .. }) => {
                BodyPatch::Clear { content_type: content_type.clone() }
            }
            Self::Finish(Finish { result: Some(result), .. }) => BodyPatch::Result(result.clone()),
            Self::Requeue(Requeue { error: Some(error), .. })
            | Self::Finish(Finish { error: Some(error), .. }) => {
                BodyPatch::ErrorDetails(error.details().cloned())
            }
            Self::Amend(Amend { payload: Some(payload), .. }) => BodyPatch::Payload(payload.clone()),
            _ => BodyPatch::Keep,
        }
    }
}
