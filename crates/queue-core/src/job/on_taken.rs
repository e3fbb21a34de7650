//! What an enqueue does if its id is taken.

use crate::Span;

/// What an enqueue does if a job of the same id waits. A running job always keeps its id.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OnWaiting {
    /// Answers that the id is taken.
    #[default]
    Block,
    /// Begins a new life in place of the waiting one, with the new payload, options and delay. The
    /// new life keeps the enqueue time of the first of these jobs, from which `max_wait` counts.
    Replace {
        /// The job is due at the latest this long after the first of these jobs was enqueued;
        /// `None` is no bound.
        max_wait: Option<Span>,
    },
}

/// What an enqueue does if there is a Failed record of the same id.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OnFailed {
    /// Answers that the id is taken, until the record is purged.
    #[default]
    Block,
    /// Begins a new life in place of the record.
    Replace,
}
