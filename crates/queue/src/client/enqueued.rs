//! The answer for one job of an enqueue.

use queue_core::{JobId, Seq, State};

/// The answer for one job of an enqueue. Most callers can ignore it: in each case the job is
/// stored, or is done already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Enqueued<R> {
    /// The job is accepted, and stored as durably as the store promises.
    Queued {
        /// Its id.
        id: JobId,
        /// Its life.
        seq: Seq,
    },
    /// The id is taken by a job without a result. Nothing was changed, and the new payload was not
    /// stored; [`Queue::payload`](crate::Queue::payload) reads the one that is.
    Duplicate {
        /// The id.
        id: JobId,
        /// The life that holds it.
        seq: Seq,
        /// Its state, never Completed.
        state: State,
    },
    /// The id is taken by a Completed job, and this is its result.
    Completed {
        /// The id.
        id: JobId,
        /// The life that holds it.
        seq: Seq,
        /// Its result.
        result: R,
    },
    /// A job that this one was to [raise](queue_core::EndSignal::raises) takes no more. Nothing of
    /// this job is stored. Only a job that a hook gave such a signal can be orphaned.
    Orphaned {
        /// Its id.
        id: JobId,
    },
}

impl<R> Enqueued<R> {
    /// The id, whether it was given, generated or derived.
    pub const fn id(&self) -> &JobId {
        match self {
            Self::Queued { id, .. }
            | Self::Duplicate { id, .. }
            | Self::Completed { id, .. }
            | Self::Orphaned { id } => id,
        }
    }

    /// The life that now holds the id; `None` if the job is [`Orphaned`](Self::Orphaned).
    pub const fn seq(&self) -> Option<Seq> {
        match self {
            Self::Queued { seq, .. } | Self::Duplicate { seq, .. } | Self::Completed { seq, .. } => {
                Some(*seq)
            }
            Self::Orphaned { .. } => None,
        }
    }

    /// True if the job was accepted now.
    pub const fn is_new(&self) -> bool {
        matches!(self, Self::Queued { .. })
    }
}
