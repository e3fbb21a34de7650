//! The number that names one life of a job.

/// The number of one life of a job: given by the store at enqueue, unique in the store, and only
/// growing.
///
/// An id that is purged, cancelled or replaced and enqueued again begins a new life with a new
/// number, so a change that was meant for the old life does not affect the new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seq(u64);

impl Seq {
    /// The number that a store counted.
    pub const fn new(raw: u64) -> Self {
        Self(raw)
    }

    /// The number for a store to write.
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl std::fmt::Display for Seq {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}
