//! The index from each job to the places of its parts in the journal.

use super::segment_usage::SegmentUsage;
use crate::journal::{Location, Position};
use queue_core::{QueueName, Seq};
use std::{collections::BTreeMap, ops::Range};

/// The places of all jobs on the disk, with the totals.
#[derive(Debug, Default)]
pub(super) struct JobIndex {
    /// Boxed, since the nodes of a tree that grows at its end stay half empty.
    jobs: BTreeMap<Seq, Box<IndexEntry>>,
    pub(super) usage: SegmentUsage,
    /// Bytes of payloads and results in memory.
    resident_bytes: u64,
}

/// The places of the parts of a job on the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct IndexEntry {
    pub(super) queue: QueueName,
    pub(super) payload: Location,
    pub(super) result: Option<Box<ResultEntry>>,
    /// Bytes of the job written whole, without its payload and its result.
    pub(super) other_bytes: u32,
    /// The payload is in memory too.
    pub(super) is_payload_resident: bool,
}

/// The place of a result on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ResultEntry {
    pub(super) location: Location,
    /// The claim that produced it. The result of a later claim is not in the index yet.
    pub(super) epoch: u64,
    /// The result is in memory too.
    pub(super) is_resident: bool,
}

impl JobIndex {
    pub(super) fn get(&self, seq: Seq) -> Option<&IndexEntry> {
        self.jobs.get(&seq).map(|entry| &**entry)
    }

    /// A job was written whole.
    pub(super) fn put(&mut self, seq: Seq, entry: IndexEntry) {
        self.usage.add_job(entry.segment(), seq);
        self.count(&entry);
        if let Some(former) = self.jobs.insert(seq, Box::new(entry)) {
            self.discount(&former);
        }
    }

    /// Changes the entry of a job, but not the segment that it is relocated from. False if there is
    /// no such job.
    pub(super) fn change(&mut self, seq: Seq, change: impl FnOnce(&mut IndexEntry)) -> bool {
        let Some(entry) = self.jobs.get_mut(&seq) else { return false };
        let before = (entry.bytes(), entry.resident_bytes());
        change(entry);
        self.usage.live_bytes = self.usage.live_bytes - before.0 + entry.bytes();
        self.resident_bytes = self.resident_bytes - before.1 + entry.resident_bytes();
        true
    }

    /// Removes a job.
    pub(super) fn remove(&mut self, seq: Seq) {
        if let Some(entry) = self.jobs.remove(&seq) {
            self.discount(&entry);
        }
    }

    /// Bytes of payloads and results in memory.
    pub(super) fn resident_bytes(&self) -> u64 {
        self.resident_bytes
    }

    /// How many jobs.
    pub(super) fn len(&self) -> usize {
        self.jobs.len()
    }

    /// Every job.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Seq, &IndexEntry)> {
        self.jobs.iter().map(|(seq, entry)| (*seq, &**entry))
    }

    fn count(&mut self, entry: &IndexEntry) {
        self.usage.live_bytes += entry.bytes();
        self.resident_bytes += entry.resident_bytes();
    }

    fn discount(&mut self, entry: &IndexEntry) {
        self.usage.live_bytes -= entry.bytes();
        self.resident_bytes -= entry.resident_bytes();
    }
}

impl IndexEntry {
    /// The segment in which the job was written whole. All later changes of it are in the same or a
    /// later segment, so compaction of this segment must relocate the job.
    pub(super) fn segment(&self) -> u64 {
        self.payload.segment
    }

    /// The job's bytes on the disk, approximately.
    pub(super) fn bytes(&self) -> u64 {
        let result = self.result.as_ref().map_or(0, |result| result.location.len);
        u64::from(self.other_bytes) + u64::from(self.payload.len) + u64::from(result)
    }

    pub(super) fn resident_bytes(&self) -> u64 {
        let of = |location: Location, is_resident| if is_resident { u64::from(location.len) } else { 0 };
        let result = self.result.as_ref().map_or(0, |result| of(result.location, result.is_resident));
        of(self.payload, self.is_payload_resident) + result
    }

    /// The result of this claim, if it is in the index.
    pub(super) fn result_of(&self, epoch: u64) -> Option<ResultEntry> {
        self.result.as_deref().filter(|result| result.epoch == epoch).copied()
    }
}

/// The place and the checksum of a range of a record's changes.
pub(super) fn locate(base: Position, changes: &[u8], range: &Range<usize>) -> Location {
    let part = &changes[range.clone()];
    Location {
        segment: base.segment,
        offset: base.offset + range.start as u64,
        len: u32::try_from(part.len()).expect("a record is shorter than 4 GiB"),
        checksum: crc32c::crc32c(part),
    }
}
