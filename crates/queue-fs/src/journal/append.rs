//! Appending records: segment changes, flushes, and undoing a write that failed.

use super::{Journal, Position};
use crate::{
    error::FsFault,
    format::{Head, segment_name},
    options::Flush,
    state::PendingRecords,
    sys::FsFile,
};
use queue_core::Timestamp;

impl Journal {
    /// Starts a new segment if this one is full. Only under the lock, and before a record is
    /// encoded, since a record refers to its own position.
    pub(crate) fn make_room(&mut self) -> Result<(), FsFault> {
        self.check()?;
        if self.tail.offset < self.segment_bytes {
            return Ok(());
        }
        // All segments but the last are durable, so only the last one can be torn.
        self.flush()?;
        self.check_lock()?;
        match self.make_segment(self.tail.segment + 1) {
            Ok(()) => self.publish(),
            Err(fault) if self.is_over() => Err(fault),
            // There may be no space for another file, but some left in this one.
            Err(_) => Ok(()),
        }
    }

    /// The head of a record that follows `earlier` others of the same append.
    pub(crate) fn head(&self, earlier: u64, oldest: u64, last_seq: u64, time: Timestamp) -> Head {
        let is_synced_here = self.synced.segment == self.tail.segment;
        let synced = if is_synced_here { self.synced } else { Position::start_of(self.tail.segment) };
        Head {
            commit: self.commit + 1 + earlier,
            synced: synced.offset,
            oldest,
            last_seq,
            time,
            salt: self.salt,
        }
    }

    /// Appends records, as durably as promised, and publishes them to other processes.
    ///
    /// After an error the journal is as it was. If that is uncertain, the handle fails for good.
    pub(crate) fn append(&mut self, pending: &PendingRecords) -> Result<(), FsFault> {
        self.check()?;
        let records = &pending.records;
        let count = pending.count;
        let oldest = pending.oldest;
        if oldest > self.oldest && self.synced < self.read_to {
            // Other handles may have relocated a part of the segments that are about to be removed.
            self.make_durable()?;
        }
        let file = self.files.segment(self.tail.segment)?;
        if let Err(error) = file.write_at(self.tail.offset, records) {
            self.take_back(&*file)?;
            return Err(FsFault::io(&segment_name(self.tail.segment), error));
        }
        if self.flush == Flush::Always || oldest > self.oldest {
            if let Err(fault) = self.sync(&*file) {
                // If the truncation succeeds, no process reads records that may not be on the disk.
                drop(file.set_size(self.tail.offset));
                return Err(fault);
            }
            self.synced = Position { offset: self.tail.offset + records.len() as u64, ..self.tail };
        }
        self.tail.offset += records.len() as u64;
        self.wrote_to = self.tail;
        self.commit += count;
        if oldest > self.oldest {
            (self.oldest, self.oldest_said_at) = (oldest, self.tail);
        }
        self.publish()
    }

    /// Removes free segments, once the record that frees them is durable. A segment that cannot be
    /// removed now is removed later, or when the store is next opened.
    pub(crate) fn tidy(&mut self) {
        if self.synced >= self.oldest_said_at {
            drop(self.remove_unneeded());
        }
    }

    /// Cuts off records that may have been written in part, and flushes that, before a caller gets
    /// the answer that nothing happened.
    fn take_back(&mut self, file: &dyn FsFile) -> Result<(), FsFault> {
        let name = segment_name(self.tail.segment);
        let taken_back = file.set_size(self.tail.offset).and_then(|()| file.sync());
        taken_back.map_err(|error| self.poison(FsFault::io(&name, error)))
    }
}
