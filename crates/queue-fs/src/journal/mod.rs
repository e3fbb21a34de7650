//! The journal: segments of records, the lock, and which records a handle may act on.
//!
//! A writer takes the lock, reads what others wrote since, appends, flushes, publishes the new end
//! by the [`Mark`], and releases the lock. So no handle acts on a record that is less durable than
//! promised, and reading up to the mark needs no lock. A store is opened the same way: only the
//! newest records are read under the lock.
//!
//! The journal is circular. Compaction relocates live jobs from the oldest segment into new
//! records, and removes the segment once it is free. There are no snapshots, and so no second
//! format, no moment at which two files must change together, and no manifest: every record names
//! the oldest segment that is needed.
//!
//! Absent on purpose: the meaning of records, which is a matter of the [`RecordSink`].

mod ahead;
mod append;
mod catch_up;
mod directory;
mod files;
mod judge;
mod lock;
mod mark;
mod position;
mod replay;
mod reserve;
mod take_over;

pub(crate) use ahead::ReadAhead;
pub(crate) use catch_up::VisibleRead;
pub(crate) use files::{Location, OTHER_NAME, SegmentFiles, read};
pub(crate) use judge::Suspect;
pub(crate) use lock::{LOCK, take_lock};
pub(crate) use mark::Mark;
pub(crate) use position::Position;
pub(crate) use replay::FIRST;

use crate::{
    error::FsFault,
    format::{Head, Malformed, Salt},
    options::{Create, Flush, FsOptions},
    sys::{FileId, Fs, FsFile},
};
use directory::open_lock;
use queue_core::{Clock, Rng};
use reserve::reserve_of;
use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

/// Receives records in order.
pub(crate) trait RecordSink {
    /// Starts over: the next records are those from the beginning of this segment.
    fn begin_at(&mut self, segment: u64);

    /// Applies the changes of one record, which begin at `at`.
    fn replay(&mut self, head: &Head, at: Position, changes: &[u8]) -> Result<(), Malformed>;

    /// Announces many records: work that is cheaper for all of them together may be put off.
    fn begin_bulk(&mut self);

    /// Does the work that was put off. More records may follow one by one.
    fn end_bulk(&mut self) -> Result<(), Malformed>;
}

/// One handle's view of the journal.
#[derive(Debug)]
pub(crate) struct Journal {
    fs: Arc<dyn Fs>,
    rng: Arc<dyn Rng>,
    lock: Arc<dyn FsFile>,
    lock_id: FileId,
    /// This handle created a lock file for an existing store, and has not taken the store over yet.
    takes_over: bool,
    clock: Arc<dyn Clock>,
    create: Create,
    reserve: Option<Arc<dyn FsFile>>,
    files: SegmentFiles,
    flush: Flush,
    segment_bytes: u64,
    reserve_bytes: u64,
    busy_timeout: std::time::Duration,
    /// The end of the last record that the sink received.
    tail: Position,
    /// The number of that record.
    commit: u64,
    /// That of the segment that the tail is in.
    salt: Salt,
    /// Up to here everything is durable, as far as this handle knows.
    synced: Position,
    /// The end of the last record of another handle. A flush by this handle proves nothing about
    /// records up to here: an earlier flush of theirs may have failed, after which the system takes
    /// unwritten pages for written.
    read_to: Position,
    /// The end of the last record that this handle wrote.
    wrote_to: Position,
    /// The end of the record that names the oldest needed segment. Older segments stay until that
    /// record is durable.
    oldest_said_at: Position,
    /// The oldest segment that is needed.
    oldest: u64,
    /// The lowest segment that may still be there.
    lowest: u64,
    is_locked: bool,
    /// Why this handle must not go on: a flush failed, so the contents of the disk are unknown, or
    /// the lock file that it holds is no longer the one of that name.
    over: Option<FsFault>,
    /// The number of the last record read, shared with the watcher.
    seen: Arc<AtomicU64>,
}

impl Journal {
    /// Opens the lock file, or creates it unless the directory is refused. Reads nothing yet.
    pub(crate) fn open(fs: Arc<dyn Fs>, options: &FsOptions, seen: Arc<AtomicU64>) -> Result<Self, FsFault> {
        let reserve = reserve_of(&*fs)?;
        let (lock, takes_over) = open_lock(&*fs, options.create)?;
        Ok(Self {
            lock_id: lock.id().map_err(|error| FsFault::io(LOCK, error))?,
            lock,
            takes_over,
            clock: options.clock.clone(),
            create: options.create,
            reserve,
            files: SegmentFiles::new(fs.clone()),
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

    /// Fails after a failed flush, and with a lock that does not keep others out.
    pub(crate) fn check(&self) -> Result<(), FsFault> {
        self.over.clone().map_or(Ok(()), Err)
    }

    /// Whether the handle has failed for good.
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

    /// Whether this handle wrote records that are not flushed, and can still flush them.
    pub(crate) fn owes_flush(&self) -> bool {
        self.synced < self.wrote_to && !self.is_over()
    }

    /// The segment files, to read bytes of jobs from.
    pub(crate) fn files(&mut self) -> &mut SegmentFiles {
        &mut self.files
    }

    /// Whether records of any handle must be durable before this handle acts on them.
    fn acts_on_durable_alone(&self) -> bool {
        self.flush == Flush::Always
    }

    fn poison(&mut self, fault: FsFault) -> FsFault {
        self.over.get_or_insert_with(FsFault::poisoned);
        fault.unknown()
    }

    /// Publishes the end of the journal to all processes. `seen` is set first, so that the watcher
    /// of this handle does not take our record for a foreign one.
    ///
    /// A process that took the store over during this write may have read the journal before it. So
    /// the lock is checked once more, and without it no caller gets the answer that the write
    /// succeeded.
    fn publish(&mut self) -> Result<(), FsFault> {
        self.check_lock().map_err(|fault| self.poison(fault))?;
        self.seen.store(self.commit, Ordering::SeqCst);
        let mark = Mark { visible: self.tail, synced: self.synced.min(self.tail), commit: self.commit };
        mark.write(&*self.lock).map_err(|error| self.poison(FsFault::io(LOCK, error)))
    }

    fn read_mark(&self) -> Result<Option<Mark>, FsFault> {
        Mark::read(&*self.lock).map_err(|error| FsFault::io(LOCK, error))
    }
}
