use queue_core::{JobId, Seq, State};

/// What became of one job of an enqueue. Most callers need not look: whichever it is, the job is
/// there, or was done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Enqueued<R> {
    /// Accepted, as durably as the store promises.
    Queued {
        /// Its id.
        id: JobId,
        /// Its life.
        seq: Seq,
    },
    /// The id is taken by a job without a result: nothing was changed, and the payload given now
    /// was not stored.
    Duplicate {
        /// The id.
        id: JobId,
        /// The life that holds it.
        seq: Seq,
        /// Its state, never Completed.
        state: State,
    },
    /// The id is taken by a job that is done, and here is what it left.
    Completed {
        /// The id.
        id: JobId,
        /// The life that holds it.
        seq: Seq,
        /// Its result.
        result: R,
    },
}

impl<R> Enqueued<R> {
    /// The id, as given, generated or derived.
    pub const fn id(&self) -> &JobId {
        match self {
            Self::Queued { id, .. } | Self::Duplicate { id, .. } | Self::Completed { id, .. } => id,
        }
    }

    /// The life that now holds the id.
    pub const fn seq(&self) -> Seq {
        match self {
            Self::Queued { seq, .. } | Self::Duplicate { seq, .. } | Self::Completed { seq, .. } => *seq,
        }
    }

    /// True if the job was accepted now.
    pub const fn is_new(&self) -> bool {
        matches!(self, Self::Queued { .. })
    }
}
