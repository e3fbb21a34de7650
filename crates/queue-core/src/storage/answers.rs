//! The answers of a store to an enqueue and to transitions.

use crate::{JobMeta, Moment, Payload, Seq, State, Timestamp};

/// How much of a record to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Detail {
    /// Only the metadata.
    Meta,
    /// The metadata, and payload, headers, result and error details.
    Full,
}

/// An answer with the store's time at which it was true. Use only differences of such times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamped<T> {
    /// The store's time.
    pub now: Timestamp,
    /// The reading of the store's clock: for calendars, and to see how far store time leads.
    pub clock: Timestamp,
    /// The answer.
    pub value: T,
}

impl<T> Stamped<T> {
    /// An answer that was true at this moment.
    pub const fn at(moment: Moment, value: T) -> Self {
        Self { now: moment.now, clock: moment.clock, value }
    }

    /// When the answer was true.
    pub const fn moment(&self) -> Moment {
        Moment { now: self.now, clock: self.clock }
    }
}

/// The answer for one job of an enqueue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Enqueued {
    /// The job is accepted, and stored as durably as the store promises.
    Queued {
        /// The new life.
        seq: Seq,
    },
    /// The id is taken; nothing was changed.
    Duplicate {
        /// The life that holds it.
        seq: Seq,
        /// Its state, never Completed.
        state: State,
    },
    /// The id is taken by a Completed job, whose result is in the answer.
    Completed {
        /// The life that holds it.
        seq: Seq,
        /// The result; `None` if the answer has no room for it (see
        /// [`Limits::answer_bytes_max`](crate::Limits::answer_bytes_max)): then read it by the id.
        result: Option<Payload>,
    },
    /// A job that this one was to [raise](crate::EndSignal::raises) takes no more: it is absent, of
    /// another life, has ended, has no gate, or has counted all that it needs. Nothing of this job
    /// is stored.
    Orphaned,
}

impl Enqueued {
    /// The life that now holds the id; `None` if the job is [`Orphaned`](Self::Orphaned).
    pub const fn seq(&self) -> Option<Seq> {
        match self {
            Self::Queued { seq } | Self::Duplicate { seq, .. } | Self::Completed { seq, .. } => Some(*seq),
            Self::Orphaned => None,
        }
    }

    /// True for a new life.
    pub const fn is_new(&self) -> bool {
        matches!(self, Self::Queued { .. })
    }
}

/// The answer for one transition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Applied {
    /// The change is done, now or by the same event of this lease sent before, whose result, error
    /// and retention stay as they were. For a removal this is the last form of the record.
    Done(JobMeta),
    /// Another claim holds the lease, or it has lapsed, or was settled by another event. Final.
    LeaseLost(JobMeta),
    /// The record has changed since it was read: decide again on this one. For an extension or an
    /// expiry it can also mean that the record is locked at this moment, for example by an open
    /// transaction: send it again later.
    Stale(JobMeta),
    /// This life was removed. For the sender of a settle whose first outcome is unknown, this
    /// counts as done.
    Missing,
}

impl Applied {
    /// Whether the change is done.
    pub const fn is_done(&self) -> bool {
        matches!(self, Self::Done(_))
    }
}
