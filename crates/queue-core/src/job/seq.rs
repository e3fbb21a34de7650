/// Names one life of a job: given by the store at enqueue, unique in the store, and only growing.
///
/// An id that is purged, cancelled or replaced and enqueued again is a new life with a new number, so nothing
/// aimed at the old life touches the new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seq(u64);

impl Seq {
    /// As a store counted it.
    pub const fn new(raw: u64) -> Self {
        Self(raw)
    }

    /// For a store to write.
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl std::fmt::Display for Seq {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}
