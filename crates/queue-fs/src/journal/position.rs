//! A byte position in the journal.

use crate::format::SEGMENT_HEAD_BYTES;

/// A place in the journal: between two records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Position {
    /// The number of the segment.
    pub(crate) segment: u64,
    /// The offset in its file, in bytes.
    pub(crate) offset: u64,
}

impl Position {
    /// The position of the first record of a segment.
    pub(crate) const fn start_of(segment: u64) -> Self {
        Self { segment, offset: SEGMENT_HEAD_BYTES as u64 }
    }
}
