use crate::{QueueName, Span};
use std::time::Duration;

/// A request to remove records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PruneRequest {
    /// From which queue.
    pub queue: QueueName,
    /// Which records.
    pub what: Prune,
    /// At most this many in one call.
    pub limit: usize,
}

/// Which records to remove.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Prune {
    /// Those past their purge time, which count as absent already.
    Expired,
    /// Terminal ones that finished at least this long ago, whatever their retention.
    FinishedBefore(Span),
    /// All, running ones too: their holders will find them missing.
    Everything,
}

impl Prune {
    /// Terminal ones that finished at least so long ago, whatever their retention. Fractions of a
    /// millisecond round up; over a hundred years becomes that.
    pub fn finished_before(age: Duration) -> Self {
        Self::FinishedBefore(Span::at_most(age))
    }
}
