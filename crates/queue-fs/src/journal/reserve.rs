use super::Journal;
use crate::error::Fault;

/// A file of room that is given up when the disk is full, so that jobs can still be claimed, settled and removed.
pub(crate) const RESERVE: &str = "RESERVE";

impl Journal {
    /// Whether there is room for new jobs: the reserve is there, or can be filled again. Only under the lock.
    pub(crate) fn has_reserve(&self) -> Result<bool, Fault> {
        let size = self.reserve.size().map_err(|error| Fault::io(RESERVE, error))?;
        if size >= self.reserve_bytes {
            return Ok(true);
        }
        match self.reserve.allocate(self.reserve_bytes) {
            Ok(()) => Ok(true),
            Err(error) => match Fault::io(RESERVE, error) {
                fault if fault.is_full() => Ok(false),
                fault => Err(fault),
            },
        }
    }

    /// Gives the room to whoever needs it now; false if it was given before. Only under the lock.
    pub(crate) fn spend_reserve(&self) -> Result<bool, Fault> {
        let size = self.reserve.size().map_err(|error| Fault::io(RESERVE, error))?;
        self.reserve.set_size(0).map_err(|error| Fault::io(RESERVE, error))?;
        Ok(size > 0)
    }
}
