use crate::{JobMeta, Moment, Payload, Seq, State, Timestamp};

/// An answer with the store's time at which it held. Use differences of such times only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamped<T> {
    /// The store's time.
    pub now: Timestamp,
    /// What its clock says: for calendars, and to see how far store time leads.
    pub clock: Timestamp,
    /// The answer.
    pub value: T,
}

impl<T> Stamped<T> {
    /// An answer that held at this moment.
    pub const fn at(moment: Moment, value: T) -> Self {
        Self { now: moment.now, clock: moment.clock, value }
    }

    /// When it held.
    pub const fn moment(&self) -> Moment {
        Moment { now: self.now, clock: self.clock }
    }
}

/// What became of one job of an enqueue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Enqueued {
    /// Accepted: it is stored as durably as the store promises.
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
    /// The id is taken by a job that is done; here is its result.
    Completed {
        /// The life that holds it.
        seq: Seq,
        /// What it left; `None` if the answer has no room for it (see
        /// [`Limits::answer_bytes_max`](crate::Limits::answer_bytes_max)), so read it by its id.
        result: Option<Payload>,
    },
}

impl Enqueued {
    /// The life that now holds the id.
    pub const fn seq(&self) -> Seq {
        match self {
            Self::Queued { seq } | Self::Duplicate { seq, .. } | Self::Completed { seq, .. } => *seq,
        }
    }

    /// True for a new life.
    pub const fn is_new(&self) -> bool {
        matches!(self, Self::Queued { .. })
    }
}

/// What became of one transition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Applied {
    /// It is done, now or by the same settle sent before. For a removal this is the last the record
    /// looked like.
    Done(JobMeta),
    /// The lease is another's, lapsed, or settled otherwise. Final.
    LeaseLost(JobMeta),
    /// The record moved since it was seen: decide again on this. For an extension or an expiry also
    /// that somebody holds the record at this moment, as an open transaction may: send it again
    /// later.
    Stale(JobMeta),
    /// This life is gone. To the sender of a settle whose first outcome is unknown it counts as
    /// done.
    Missing,
}

impl Applied {
    /// True when the change stands.
    pub const fn is_done(&self) -> bool {
        matches!(self, Self::Done(_))
    }
}
