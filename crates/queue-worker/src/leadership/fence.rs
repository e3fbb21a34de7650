//! The number of a term.

use queue_core::{JobMeta, Seq};
use std::fmt;

/// The number of a term. Later terms of the same election compare greater, whichever candidate
/// holds them.
///
/// A resource outside the store is safe from a leader that was frozen if it remembers the greatest
/// fence it has seen and refuses smaller ones. The idea is Lamport's; Kleppmann's *How to do
/// distributed locking* explains why a lease alone is not enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fence {
    /// The life of the election's job. It grows when the job was cancelled or deleted and a new
    /// life began.
    pub seq: Seq,
    /// Terms in that life.
    pub epoch: u64,
}

impl Fence {
    pub(super) fn of(claimed: &JobMeta) -> Self {
        Self { seq: claimed.seq, epoch: claimed.epoch }
    }
}

/// `seq.epoch`, for logs.
impl fmt::Display for Fence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.seq, self.epoch)
    }
}
