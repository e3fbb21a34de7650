use super::{Journal, Position};
use crate::{
    error::Fault,
    format::{Head, segment_name},
    options::Flush,
    state::Pending,
    sys::FsFile,
};
use queue_core::Timestamp;

impl Journal {
    /// Goes on in a new segment if this one is full. Only under the lock, and before a record is made, since a record
    /// says where it stands.
    pub(crate) fn make_room(&mut self) -> Result<(), Fault> {
        self.check()?;
        if self.tail.offset < self.segment_bytes {
            return Ok(());
        }
        // Whatever is in front of the last segment is durable, so only the last one can be torn.
        self.flush()?;
        self.check_lock()?;
        match self.make_segment(self.tail.segment + 1) {
            Ok(()) => self.publish(),
            Err(fault) if self.is_over() => Err(fault),
            // Perhaps there is no room for another file; there may be some in this one.
            Err(_) => Ok(()),
        }
    }

    /// The head of a record that goes behind `earlier` others of the same append.
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

    /// Appends records, as durably as promised, and tells the other processes.
    ///
    /// After an error the journal is as before, unless nobody can know: then this handle is done for.
    pub(crate) fn append(&mut self, pending: &Pending) -> Result<(), Fault> {
        self.check()?;
        let (records, count, oldest) = (&pending.records, pending.count, pending.oldest);
        if oldest > self.oldest && self.synced < self.read_to {
            // Others may have carried on a part of what is about to be given up.
            self.make_durable()?;
        }
        let file = self.files.segment(self.tail.segment)?;
        if let Err(error) = file.write_at(self.tail.offset, records) {
            self.take_back(&*file)?;
            return Err(Fault::io(&segment_name(self.tail.segment), error));
        }
        if self.flush == Flush::Always || oldest > self.oldest {
            if let Err(fault) = self.sync(&*file) {
                // If this works, nobody reads what may not be on the disk.
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

    /// Removes the segments that nothing is needed of, if that is durable. What cannot be removed now is removed
    /// later, or when the store is opened.
    pub(crate) fn tidy(&mut self) {
        if self.synced >= self.oldest_said_at {
            drop(self.remove_unneeded());
        }
    }

    /// A part of the records may have been written. It goes, and durably so, before anybody is told that nothing happened.
    fn take_back(&mut self, file: &dyn FsFile) -> Result<(), Fault> {
        let name = segment_name(self.tail.segment);
        let taken_back = file.set_size(self.tail.offset).and_then(|()| file.sync());
        taken_back.map_err(|error| self.poison(Fault::io(&name, error)))
    }
}
