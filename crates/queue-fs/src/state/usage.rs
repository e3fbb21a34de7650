use queue_core::Seq;
use std::collections::BTreeMap;

/// How much of the journal is still needed, and which jobs were written whole in which segment.
#[derive(Debug, Default)]
pub(super) struct Usage {
    segments: BTreeMap<u64, Segment>,
    /// Bytes of all segments.
    pub(super) journal_bytes: u64,
    /// Bytes of jobs that are still there, about.
    pub(super) live_bytes: u64,
}

#[derive(Debug, Default)]
struct Segment {
    bytes: u64,
    /// Those that were written whole here, whether they still are or not.
    born: Vec<Seq>,
    /// So many of them need no more looking at.
    carried: usize,
}

impl Usage {
    /// A record was added to a segment.
    pub(super) fn grows(&mut self, segment: u64, bytes: u64) {
        self.segments.entry(segment).or_default().bytes += bytes;
        self.journal_bytes += bytes;
    }

    /// A job was written whole in a segment.
    pub(super) fn bears(&mut self, segment: u64, seq: Seq) {
        self.segments.entry(segment).or_default().born.push(seq);
    }

    /// Segments before this one are not needed any more.
    pub(super) fn forget_before(&mut self, oldest: u64) {
        while let Some(first) = self.segments.first_entry().filter(|first| *first.key() < oldest) {
            self.journal_bytes -= first.remove().bytes;
        }
    }

    /// How many segments have records.
    pub(super) fn segments(&self) -> u64 {
        self.segments.len() as u64
    }

    /// The oldest segment, if there is a later one.
    pub(super) fn oldest(&self) -> Option<u64> {
        self.segments.first_key_value().map(|(number, _)| *number).filter(|_| self.segments.len() > 1)
    }

    /// Jobs of a segment that may have to be carried on.
    pub(super) fn to_carry(&self, segment: u64) -> &[Seq] {
        self.segments.get(&segment).map_or(&[], |segment| &segment.born[segment.carried..])
    }

    /// So many of them are dealt with.
    pub(super) fn carried(&mut self, segment: u64, count: usize) {
        if let Some(segment) = self.segments.get_mut(&segment) {
            segment.carried += count;
        }
    }
}
