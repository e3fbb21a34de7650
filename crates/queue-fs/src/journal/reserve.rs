//! Disk space set aside so that jobs can still be settled on a full disk.

use super::Journal;
use crate::{
    error::FsFault,
    sys::{Fs, FsFile, Open},
};
use std::{io, sync::Arc};

/// A file that is truncated when the disk is full, so that jobs can still be claimed, settled and
/// removed.
pub(crate) const RESERVE: &str = "RESERVE";

/// Opens the reserve of an existing store. A link of its name is refused here, before any file is
/// created.
pub(super) fn reserve_of(fs: &dyn Fs) -> Result<Option<Arc<dyn FsFile>>, FsFault> {
    match fs.open(RESERVE, Open::Existing) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        opened => opened.map(Some).map_err(failed),
    }
}

impl Journal {
    /// Opens the file, or creates it, once the directory is known to be a store.
    pub(crate) fn open_reserve(&mut self) -> Result<Arc<dyn FsFile>, FsFault> {
        if let Some(reserve) = &self.reserve {
            return Ok(reserve.clone());
        }
        let opened = self.fs.open(RESERVE, Open::OrCreate).map_err(failed)?;
        Ok(self.reserve.insert(opened).clone())
    }

    /// Fills the reserve if it was spent. False if the disk has no space for it, and so none for
    /// new jobs. Only under the lock.
    pub(crate) fn ensure_reserve(&mut self) -> Result<bool, FsFault> {
        let reserve = self.open_reserve()?;
        if reserve.size().map_err(failed)? >= self.reserve_bytes {
            return Ok(true);
        }
        match reserve.allocate(self.reserve_bytes).map_err(failed) {
            Ok(()) => Ok(true),
            Err(fault) if fault.is_full() => Ok(false),
            Err(fault) => Err(fault),
        }
    }

    /// Frees the space of the reserve. False if it was free before. Only under the lock.
    pub(crate) fn spend_reserve(&mut self) -> Result<bool, FsFault> {
        let reserve = self.open_reserve()?;
        let size = reserve.size().map_err(failed)?;
        reserve.set_size(0).map_err(failed)?;
        Ok(size > 0)
    }
}

fn failed(error: io::Error) -> FsFault {
    FsFault::io(RESERVE, error)
}
