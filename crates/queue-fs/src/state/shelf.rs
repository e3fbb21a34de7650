use super::usage::Usage;
use crate::journal::{Location, Position};
use queue_core::{QueueName, Seq};
use std::{collections::HashMap, ops::Range};

/// Where each job stands on the disk, and what that adds up to.
#[derive(Debug, Default)]
pub(super) struct Shelf {
    jobs: HashMap<Seq, Shelved>,
    pub(super) usage: Usage,
    /// Bytes of payloads and results in memory.
    resident_bytes: u64,
}

/// Where the parts of a job stand on the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shelved {
    pub(super) queue: QueueName,
    /// The segment in which it was written whole. Everything that was written of it since is in the same or a later one, so
    /// this is the one that needs it carried on.
    pub(super) segment: u64,
    /// What all of it but the payload and the result takes up where it is written whole.
    pub(super) other_bytes: u64,
    pub(super) payload: Part,
    pub(super) result: Option<Part>,
}

/// A payload or a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) location: Location,
    /// The claim that a result comes from: that of a later claim is not on the shelf yet.
    pub(super) epoch: u64,
    /// The engine has the bytes too.
    pub(super) is_resident: bool,
}

impl Shelf {
    pub(super) fn get(&self, seq: Seq) -> Option<&Shelved> {
        self.jobs.get(&seq)
    }

    /// A job was written whole.
    pub(super) fn put(&mut self, seq: Seq, shelved: Shelved) {
        self.remove(seq);
        self.usage.bears(shelved.segment, seq);
        self.count(&shelved);
        self.jobs.insert(seq, shelved);
    }

    /// Something about a job is another now, but not the segment that needs it carried on. False if it is not there.
    pub(super) fn change(&mut self, seq: Seq, change: impl FnOnce(&mut Shelved)) -> bool {
        let Some(shelved) = self.jobs.get_mut(&seq) else { return false };
        let before = (shelved.bytes(), shelved.resident_bytes());
        change(shelved);
        self.usage.live_bytes = self.usage.live_bytes - before.0 + shelved.bytes();
        self.resident_bytes = self.resident_bytes - before.1 + shelved.resident_bytes();
        true
    }

    /// A job is gone.
    pub(super) fn remove(&mut self, seq: Seq) {
        if let Some(shelved) = self.jobs.remove(&seq) {
            self.usage.live_bytes -= shelved.bytes();
            self.resident_bytes -= shelved.resident_bytes();
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
    pub(super) fn iter(&self) -> impl Iterator<Item = (Seq, &Shelved)> {
        self.jobs.iter().map(|(seq, shelved)| (*seq, shelved))
    }

    fn count(&mut self, shelved: &Shelved) {
        self.usage.live_bytes += shelved.bytes();
        self.resident_bytes += shelved.resident_bytes();
    }
}

impl Shelved {
    /// What it takes up on the disk, about.
    pub(super) fn bytes(&self) -> u64 {
        let part = |part: &Part| u64::from(part.location.len);
        self.other_bytes + part(&self.payload) + self.result.as_ref().map_or(0, part)
    }

    pub(super) fn resident_bytes(&self) -> u64 {
        let part = |part: &Part| if part.is_resident { u64::from(part.location.len) } else { 0 };
        part(&self.payload) + self.result.as_ref().map_or(0, part)
    }
}

/// Where a range of a record's changes stands, and what it adds up to.
pub(super) fn locate(base: Position, changes: &[u8], range: &Range<usize>) -> Location {
    let part = &changes[range.clone()];
    Location {
        segment: base.segment,
        offset: base.offset + range.start as u64,
        len: u32::try_from(part.len()).expect("a record is shorter than 4 GiB"),
        checksum: crc32c::crc32c(part),
    }
}
