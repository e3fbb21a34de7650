use super::usage::Usage;
use crate::journal::{Location, Position};
use queue_core::{QueueName, Seq};
use std::{collections::BTreeMap, ops::Range};

/// Where each job stands on the disk, and what that adds up to.
#[derive(Debug, Default)]
pub(super) struct Shelf {
    /// Boxed, since the nodes of a tree that grows at its end stay half empty.
    jobs: BTreeMap<Seq, Box<Shelved>>,
    pub(super) usage: Usage,
    /// Bytes of payloads and results in memory.
    resident_bytes: u64,
}

/// Where the parts of a job stand on the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shelved {
    pub(super) queue: QueueName,
    pub(super) payload: Location,
    pub(super) result: Option<Box<ShelvedResult>>,
    /// What all of it but the payload and the result takes up where it is written whole.
    pub(super) other_bytes: u32,
    /// The engine has the bytes of the payload too.
    pub(super) is_payload_resident: bool,
}

/// Where a result stands on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ShelvedResult {
    pub(super) location: Location,
    /// The claim that it comes from: the result of a later claim is not on the shelf yet.
    pub(super) epoch: u64,
    /// The engine has the bytes too.
    pub(super) is_resident: bool,
}

impl Shelf {
    pub(super) fn get(&self, seq: Seq) -> Option<&Shelved> {
        self.jobs.get(&seq).map(|shelved| &**shelved)
    }

    /// A job was written whole.
    pub(super) fn put(&mut self, seq: Seq, shelved: Shelved) {
        self.usage.bears(shelved.segment(), seq);
        self.count(&shelved);
        if let Some(former) = self.jobs.insert(seq, Box::new(shelved)) {
            self.discount(&former);
        }
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
            self.discount(&shelved);
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
        self.jobs.iter().map(|(seq, shelved)| (*seq, &**shelved))
    }

    fn count(&mut self, shelved: &Shelved) {
        self.usage.live_bytes += shelved.bytes();
        self.resident_bytes += shelved.resident_bytes();
    }

    fn discount(&mut self, shelved: &Shelved) {
        self.usage.live_bytes -= shelved.bytes();
        self.resident_bytes -= shelved.resident_bytes();
    }
}

impl Shelved {
    /// The segment in which it was written whole. Everything that was written of it since is in the same or a later one, so
    /// this is the one that needs it carried on.
    pub(super) fn segment(&self) -> u64 {
        self.payload.segment
    }

    /// What it takes up on the disk, about.
    pub(super) fn bytes(&self) -> u64 {
        let result = self.result.as_ref().map_or(0, |result| result.location.len);
        u64::from(self.other_bytes) + u64::from(self.payload.len) + u64::from(result)
    }

    pub(super) fn resident_bytes(&self) -> u64 {
        let of = |location: Location, is_resident| if is_resident { u64::from(location.len) } else { 0 };
        let result = self.result.as_ref().map_or(0, |result| of(result.location, result.is_resident));
        of(self.payload, self.is_payload_resident) + result
    }

    /// The result of this claim, if it is on the shelf.
    pub(super) fn result_of(&self, epoch: u64) -> Option<ShelvedResult> {
        self.result.as_deref().filter(|result| result.epoch == epoch).copied()
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
