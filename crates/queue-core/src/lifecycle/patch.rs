use crate::{ContentType, Failure, Payload, Reason, Span, State, Timestamp, lifecycle::Flags};
use bytes::Bytes;

/// What a transition writes. Times are relative, since only the store knows what now is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Patch {
    /// Back among the waiting.
    Requeue(Requeue),
    /// Into a terminal state.
    Finish(Finish),
    /// Gone, with everything that belongs to it.
    Remove,
    /// The lease lives on.
    Extend {
        /// It then lapses this long from now.
        by: Span,
        /// Replaces the stored progress, if given.
        progress: Option<Bytes>,
    },
    /// Sets those flags that are true.
    Flag(Flags),
    /// Moves the purge time of a terminal record.
    Retain(Purge),
}

/// The parts of [`Patch::Requeue`]. The lease ends with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requeue {
    /// Queued, or Failing if anything was charged in this life.
    pub state: State,
    /// When it is due.
    pub run_at: RunAt,
    /// The new count.
    pub failures: u32,
    /// The new count.
    pub stalls: u32,
    /// Replaces the last error, if given.
    pub error: Option<Failure>,
    /// Replaces the stored progress, if given, which comes neither with an error nor with
    /// [`fresh`](Self::fresh).
    pub progress: Option<Bytes>,
    /// Clears error, result, progress, reason, the cancel flag, and the times of finish and purge.
    pub fresh: bool,
    /// Sets [`JobMeta::expiry_lifted`](crate::JobMeta::expiry_lifted); otherwise it stays as it is.
    pub lifts_expiry: bool,
    /// Replaces the payload's content type, if given, which comes with [`fresh`](Self::fresh)
    /// alone.
    pub content_type: Option<ContentType>,
}

/// The parts of [`Patch::Finish`]. The lease ends with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finish {
    /// The terminal state.
    pub state: State,
    /// Why it is Failed, or Cancelled though nobody asked for it.
    pub reason: Option<Reason>,
    /// The new count.
    pub failures: u32,
    /// The new count.
    pub stalls: u32,
    /// What a Completed job keeps.
    pub result: Option<Payload>,
    /// Replaces the last error, if given.
    pub error: Option<Failure>,
    /// When the record counts as absent.
    pub purge: Purge,
}

/// When a requeued job is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RunAt {
    /// As before, so that it keeps its place.
    Keep,
    /// As before if that has passed, else now: a job that is due already loses no place.
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
    /// Stores the details of the last error, or that it has none.
    ErrorDetails(Option<Bytes>),
    /// Removes result and error details.
    Clear {
        /// Replaces the payload's content type, if given.
        content_type: Option<ContentType>,
    },
}

impl RunAt {
    /// The absolute time.
    pub fn at(self, before: Timestamp, now: Timestamp) -> Timestamp {
        match self {
            Self::Keep => before,
            Self::Soonest => before.min(now),
            Self::After(span) => now + span,
        }
    }
}

impl Purge {
    /// The absolute time, `None` for never.
    pub fn at(self, now: Timestamp) -> Option<Timestamp> {
        match self {
            Self::After(span) => Some(now + span),
            Self::Never => None,
        }
    }
}

impl Patch {
    /// What it does to the large parts of the record.
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
            _ => BodyPatch::Keep,
        }
    }
}
