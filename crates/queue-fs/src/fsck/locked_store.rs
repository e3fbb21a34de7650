//! A store directory that is locked for an examination or a repair.

use crate::{
    error::FsFault,
    format::segment_number,
    journal::{LOCK, Mark, take_lock},
    sys::{Fs, FsFile, Open, RealFs},
};
use queue_core::{Error, Result, SystemClock};
use std::{io, path::Path, sync::Arc, time::Duration};

/// How long the lock is waited for.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// How often the lock file may be replaced by another one while it is waited for.
const OPENS_MAX: usize = 5;
/// The name of a new lock file until it replaces the old one.
const NEW_LOCK: &str = "lock.tmp";

/// A directory that is looked at, locked until this is dropped.
#[derive(Debug)]
pub(super) struct LockedStore {
    pub(super) fs: Arc<dyn Fs>,
    lock: Arc<dyn FsFile>,
    pub(super) mark: Option<Mark>,
    /// The segments that are there, by the numbers in their names, in order.
    pub(super) numbers: Vec<u64>,
}

impl LockedStore {
    /// The directory of a path, with a store in it.
    pub(super) fn at_path(operation: &'static str, path: &Path) -> Result<Self> {
        let no_store = |error: io::Error| {
            let message = format!("{}: there is no store in files; check the path", path.display());
            Error::invalid(operation, message).with_source(error)
        };
        let fs = Arc::new(RealFs::open_directory(path).map_err(no_store)?);
        // Without a store nothing is made: a mistyped path shall not get a lock file.
        if numbers(&*fs).map_err(no_store)?.is_empty() {
            return Err(no_store(io::ErrorKind::NotFound.into()));
        }
        Self::lock(fs).map_err(|fault| fault.of(operation))
    }

    /// A directory that has a store.
    pub(super) fn lock(fs: Arc<dyn Fs>) -> std::result::Result<Self, FsFault> {
        let lock = lock(&*fs)?;
        let mark = Mark::read(&*lock).map_err(of_lock)?;
        // The names are read again, since a running program may have changed them before the lock
        // was taken.
        let numbers = numbers(&*fs).map_err(|error| FsFault::io("the directory", error))?;
        Ok(Self { fs, lock, mark, numbers })
    }

    /// Shuts out every program that has the store open, by replacing the lock file: each program
    /// checks that its own still has the name before it acts or answers.
    pub(super) fn take_over(&mut self) -> std::result::Result<(), FsFault> {
        let failed = |error| FsFault::io(NEW_LOCK, error);
        let new = self.fs.open(NEW_LOCK, Open::OrCreate).map_err(failed)?;
        new.set_size(0).map_err(failed)?;
        // The mark is copied, so that its evidence survives a repair that is interrupted.
        if let Some(mark) = self.mark {
            mark.write(&*new).map_err(failed)?;
        }
        take_lock(&*new, &SystemClock, BUSY_TIMEOUT)?;
        self.fs.rename(NEW_LOCK, LOCK).and_then(|()| self.fs.sync_names()).map_err(of_lock)?;
        drop(std::mem::replace(&mut self.lock, new).unlock());
        Ok(())
    }

    /// Forgets the mark, which was about other files than there are now.
    pub(super) fn clear_mark(&self) -> std::result::Result<(), FsFault> {
        self.lock.set_size(0).map_err(of_lock)
    }
}

impl Drop for LockedStore {
    fn drop(&mut self) {
        drop(self.lock.unlock());
    }
}

/// The lock file of this name, locked.
fn lock(fs: &dyn Fs) -> std::result::Result<Arc<dyn FsFile>, FsFault> {
    for _ in 0..OPENS_MAX {
        let lock = fs.open(LOCK, Open::OrCreate).map_err(of_lock)?;
        take_lock(&*lock, &SystemClock, BUSY_TIMEOUT)?;
        if fs.id_of(LOCK).map_err(of_lock)? == Some(lock.id().map_err(of_lock)?) {
            return Ok(lock);
        }
        drop(lock.unlock());
    }
    Err(FsFault::busy())
}

fn numbers(fs: &dyn Fs) -> io::Result<Vec<u64>> {
    let mut numbers: Vec<u64> = fs.names()?.iter().filter_map(|name| segment_number(name)).collect();
    numbers.sort_unstable();
    Ok(numbers)
}

fn of_lock(error: io::Error) -> FsFault {
    FsFault::io(LOCK, error)
}
