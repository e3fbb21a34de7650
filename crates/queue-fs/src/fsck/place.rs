use crate::{
    error::Fault,
    format::segment_number,
    journal::{LOCK, Mark},
    sys::{Fs, FsFile, Open, RealFs},
};
use queue_core::{Error, Result};
use std::{path::Path, sync::Arc, thread, time::Duration};

/// How often the lock is tried, and the pause between.
const TRIES_MAX: usize = 500;
const PAUSE: Duration = Duration::from_millis(10);

/// A directory that is looked at, locked until this is dropped.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) fs: Arc<dyn Fs>,
    pub(super) lock: Arc<dyn FsFile>,
    pub(super) mark: Option<Mark>,
    /// The segments that are there, in order.
    pub(super) numbers: Vec<u64>,
}

impl Place {
    /// A directory with a store in it.
    pub(super) fn open(operation: &'static str, path: &Path) -> Result<Self> {
        let no_store = |error| {
            let message = format!("{}: there is no store in files; check the path", path.display());
            Error::invalid(operation, message).with_source(error)
        };
        let fs: Arc<dyn Fs> = Arc::new(RealFs::open_directory(path).map_err(no_store)?);
        // Without it nothing is made: a mistyped path shall not get one.
        let names = fs.names().map_err(no_store)?;
        let mut numbers: Vec<u64> = names.iter().filter_map(|name| segment_number(name)).collect();
        if numbers.is_empty() {
            return Err(no_store(std::io::ErrorKind::NotFound.into()));
        }
        numbers.sort_unstable();
        let lock = fs.open(LOCK, Open::OrCreate).map_err(|error| Fault::io(LOCK, error).of(operation))?;
        take(&*lock).map_err(|fault| fault.of(operation))?;
        let mark = Mark::read(&*lock).map_err(|error| Fault::io(LOCK, error).of(operation))?;
        Ok(Self { fs, lock, mark, numbers })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        drop(self.lock.unlock());
    }
}

fn take(lock: &dyn FsFile) -> std::result::Result<(), Fault> {
    for _ in 0..TRIES_MAX {
        if lock.try_lock().map_err(|error| Fault::io(LOCK, error))? {
            return Ok(());
        }
        // Nobody signals that a lock between processes is free.
        thread::park_timeout(PAUSE);
    }
    Err(Fault::busy())
}
