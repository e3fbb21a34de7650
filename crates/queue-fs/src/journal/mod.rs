//! The files: segments of records, the lock, and who may act on what.
//!
//! A writer takes the lock, reads what others wrote since, appends, flushes, tells everybody by the [`Mark`], and lets go.
//! So nobody acts on a record that is not as durable as promised, and reading up to the mark needs no lock. That holds for
//! the whole journal too: a store is opened beside those that write, and takes the lock for what they wrote last.
//!
//! The journal is circular. Jobs that are still there are carried on from the oldest segment into new records, and a
//! segment of which nothing is needed is removed. There are no snapshots, and so no second format, no moment at which two
//! files must change together, and no manifest: every record says which segment is the oldest that is needed.
//!
//! Absent on purpose: what the records mean, which is the [`Sink`]'s.

mod ahead;
mod append;
mod catch_up;
mod files;
mod judge;
mod lock;
mod mark;
mod place;
mod position;
mod replay;
mod reserve;
mod take_over;

pub(crate) use ahead::Ahead;
pub(crate) use catch_up::Seen;
pub(crate) use files::{Files, Location, OTHER_NAME, read};
pub(crate) use judge::Suspect;
pub(crate) use lock::{LOCK, take_lock};
pub(crate) use mark::Mark;
pub(crate) use position::Position;
pub(crate) use replay::FIRST;

use crate::{
    error::Fault,
    format::{Head, Malformed, Salt},
    options::{Create, Flush, FsOptions},
    sys::{FileId, Fs, FsFile},
};
use place::open_lock;
use queue_core::{Clock, Rng};
use reserve::reserve_of;
use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

/// Takes records in order.
pub(crate) trait Sink {
    /// Forgets everything: the records that follow are those from the beginning of this segment.
    fn begin_at(&mut self, segment: u64);

    /// The changes of one record, which stand at this place.
    fn take(&mut self, head: &Head, at: Position, changes: &[u8]) -> Result<(), Malformed>;

    /// Many records follow: whatever is done faster for all of them together may be put off.
    fn begin_bulk(&mut self);

    /// What was put off is done now; more records may follow, one by one.
    fn end_bulk(&mut self) -> Result<(), Malformed>;
}

/// One handle's view of the journal.
#[derive(Debug)]
pub(crate) struct Journal {
    fs: Arc<dyn Fs>,
    rng: Arc<dyn Rng>,
    lock: Arc<dyn FsFile>,
    lock_id: FileId,
    /// This handle made the lock file of a store that was there, and has not taken it over yet.
    takes_over: bool,
    clock: Arc<dyn Clock>,
    create: Create,
    reserve: Option<Arc<dyn FsFile>>,
    files: Files,
    flush: Flush,
    segment_bytes: u64,
    reserve_bytes: u64,
    busy_timeout: std::time::Duration,
    /// Behind the last record that the sink took.
    tail: Position,
    /// The number of that record.
    commit: u64,
    /// That of the segment that the tail is in.
    salt: Salt,
    /// Up to here everything is durable, as far as this handle knows.
    synced: Position,
    /// Behind the last record that another handle wrote. A flush of ours says nothing about the records up to here:
    /// one of theirs may have failed before, and the system then takes for written what is not.
    read_to: Position,
    /// Behind the last record that this handle wrote.
    wrote_to: Position,
    /// Behind the record that says which segment is the oldest. Until it is durable the others stay.
    oldest_said_at: Position,
    /// The oldest segment that is needed.
    oldest: u64,
    /// The lowest segment that may still be there.
    lowest: u64,
    is_locked: bool,
    /// Why this handle must not go on: a flush failed, so nobody knows what is on the disk, or its lock is that of another
    /// file than everybody else's.
    over: Option<Fault>,
    /// For whoever wants to know whether others wrote.
    seen: Arc<AtomicU64>,
}

impl Journal {
    /// Opens the lock file, and makes it unless the directory is refused; nothing is read yet.
    pub(crate) fn open(fs: Arc<dyn Fs>, options: &FsOptions, seen: Arc<AtomicU64>) -> Result<Self, Fault> {
        let reserve = reserve_of(&*fs)?;
        let (lock, takes_over) = open_lock(&*fs, options.create)?;
        Ok(Self {
            lock_id: lock.id().map_err(|error| Fault::io(LOCK, error))?,
            lock,
            takes_over,
            clock: options.clock.clone(),
            create: options.create,
            reserve,
            files: Files::new(fs.clone()),
            fs,
            rng: options.rng.clone(),
            flush: options.flush,
            segment_bytes: options.segment_bytes,
            reserve_bytes: options.reserve_bytes,
            busy_timeout: options.busy_timeout,
            tail: Position::default(),
            salt: Salt::default(),
            commit: 0,
            synced: Position::default(),
            read_to: Position::default(),
            wrote_to: Position::default(),
            oldest_said_at: Position::default(),
            oldest: 0,
            lowest: 0,
            is_locked: false,
            over: None,
            seen,
        })
    }

    /// Refuses to go on after a failed flush, or without a lock that keeps others out.
    pub(crate) fn check(&self) -> Result<(), Fault> {
        self.over.clone().map_or(Ok(()), Err)
    }

    /// Whether that is so for good.
    fn is_over(&self) -> bool {
        self.over.is_some()
    }

    /// Where the next record begins.
    pub(crate) fn tail(&self) -> Position {
        self.tail
    }

    /// The oldest segment that is needed.
    pub(crate) fn oldest(&self) -> u64 {
        self.oldest
    }

    /// This handle wrote something that is not flushed, and may still be.
    pub(crate) fn owes_flush(&self) -> bool {
        self.synced < self.wrote_to && !self.is_over()
    }

    /// Where bytes of jobs are read.
    pub(crate) fn files(&mut self) -> &mut Files {
        &mut self.files
    }

    /// Whether everybody's records must be durable before anything is done about them.
    fn acts_on_durable_alone(&self) -> bool {
        self.flush == Flush::Always
    }

    fn poison(&mut self, fault: Fault) -> Fault {
        self.over.get_or_insert_with(Fault::poisoned);
        fault.unknown()
    }

    /// Tells every process how far the journal goes. Own readers are told first, so that nobody here takes our record for
    /// another's.
    ///
    /// Whoever took the store over while this handle wrote may have read the journal before that. So the lock is looked at
    /// once more, and without it nobody is told that anything happened.
    fn publish(&mut self) -> Result<(), Fault> {
        self.check_lock().map_err(|fault| self.poison(fault))?;
        self.seen.store(self.commit, Ordering::SeqCst);
        let mark = Mark { visible: self.tail, synced: self.synced.min(self.tail), commit: self.commit };
        mark.write(&*self.lock).map_err(|error| self.poison(Fault::io(LOCK, error)))
    }

    fn read_mark(&self) -> Result<Option<Mark>, Fault> {
        Mark::read(&*self.lock).map_err(|error| Fault::io(LOCK, error))
    }
}
