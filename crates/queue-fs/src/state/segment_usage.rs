//! How many bytes and which jobs each segment has, which decides when to compact.

use queue_core::Seq;
use std::collections::BTreeMap;

/// The bytes of each segment, and the jobs that were written whole in it.
#[derive(Debug, Default)]
pub(super) struct SegmentUsage {
    segments: BTreeMap<u64, SegmentContents>,
    /// Bytes of all segments.
    pub(super) journal_bytes: u64,
    /// Bytes of live jobs, approximately.
    pub(super) live_bytes: u64,
}

#[derive(Debug, Default)]
struct SegmentContents {
    bytes: u64,
    /// Jobs that were written whole here, whether or not they still exist.
    jobs: Vec<Seq>,
    /// How many of these jobs compaction has dealt with.
    relocated: usize,
}

impl SegmentUsage {
    /// A record was added to a segment.
    pub(super) fn add_bytes(&mut self, segment: u64, bytes: u64) {
        self.segments.entry(segment).or_default().bytes += bytes;
        self.journal_bytes += bytes;
    }

    /// A job was written whole in a segment.
    pub(super) fn add_job(&mut self, segment: u64, seq: Seq) {
        self.segments.entry(segment).or_default().jobs.push(seq);
    }

    /// Drops the segments before this one, which are free.
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

    /// Jobs of a segment that may have to be relocated.
    pub(super) fn jobs_to_relocate(&self, segment: u64) -> &[Seq] {
        self.segments.get(&segment).map_or(&[], |segment| &segment.jobs[segment.relocated..])
    }

    /// Compaction has dealt with this many more jobs of a segment.
    pub(super) fn note_relocated(&mut self, segment: u64, count: usize) {
        if let Some(segment) = self.segments.get_mut(&segment) {
            segment.relocated += count;
        }
    }
}
