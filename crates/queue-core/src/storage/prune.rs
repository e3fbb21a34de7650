//! The request to remove records.

use crate::{QueueName, Span};
use std::time::Duration;

/// A request to remove records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PruneRequest {
    /// The queue of the records.
    pub queue: QueueName,
    /// Which records.
    pub what: Prune,
    /// The most records to remove in one call.
    pub limit: usize,
}

/// Which records to remove.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Prune {
    /// Records past their purge time, which count as absent already.
    Expired,
    /// Terminal records that finished at least this long ago; their retention does not count.
    FinishedBefore(Span),
    /// All records, including running jobs, whose holders will find them missing.
    Everything,
}

impl Prune {
    /// Terminal records that finished at least `age` ago; their retention does not count. Fractions
    /// of a millisecond round up; an age of more than a hundred years becomes a hundred years.
    pub fn finished_before(age: Duration) -> Self {
        Self::FinishedBefore(Span::at_most(age))
    }
}
