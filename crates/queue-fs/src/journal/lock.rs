use super::Journal;
use crate::{error::Fault, sys::FsFile};
use queue_core::Clock;
use std::{thread, time::Duration};

/// The file that is locked. It also holds the mark.
pub(crate) const LOCK: &str = "LOCK";

/// First pauses between two tries: a writer lets go of the lock for moments only, and whoever pauses long goes hungry.
const SHORT_PAUSE: Duration = Duration::from_micros(50);
/// So many of them, then longer ones.
const SHORT_PAUSES: u128 = 200;
const LONG_PAUSE: Duration = Duration::from_millis(1);

/// Takes the lock of a file; waits for so long at most if somebody has it.
///
/// A pause takes longer than was asked for, twice as long on a busy machine, so time is measured and not the pauses counted.
/// They are bounded all the same, for clocks that stand still.
pub(crate) fn take_lock(file: &dyn FsFile, clock: &dyn Clock, timeout: Duration) -> Result<(), Fault> {
    let gives_up_at = clock.ticks().saturating_add(timeout);
    let pauses_max = SHORT_PAUSES + timeout.as_micros().div_ceil(LONG_PAUSE.as_micros());
    for n in 0..=pauses_max {
        if file.try_lock().map_err(|error| Fault::io(LOCK, error))? {
            return Ok(());
        }
        if clock.ticks() >= gives_up_at {
            break;
        }
        // Nobody signals that a lock between processes is free.
        thread::park_timeout(if n < SHORT_PAUSES { SHORT_PAUSE } else { LONG_PAUSE });
    }
    Err(Fault::busy())
}

impl Journal {
    /// Takes the lock, and waits for it if somebody has it.
    pub(crate) fn lock(&mut self) -> Result<(), Fault> {
        take_lock(&*self.lock, &*self.clock, self.busy_timeout)?;
        self.is_locked = true;
        self.check_lock().inspect_err(|_| self.unlock())
    }

    /// Lets others go on, if the lock is ours. That this fails is no concern of anybody: it ends with the process.
    pub(crate) fn unlock(&mut self) {
        if std::mem::take(&mut self.is_locked) {
            drop(self.lock.unlock());
        }
    }

    /// Two processes with locks on two files of one name would not keep each other out. So a handle whose lock file is not
    /// the one of that name any more is done for: it was removed or moved, or the store was repaired.
    pub(crate) fn check_lock(&mut self) -> Result<(), Fault> {
        let named = self.fs.id_of(LOCK).map_err(|error| Fault::io(LOCK, error))?;
        let lost = match named {
            Some(id) if id == self.lock_id => return Ok(()),
            Some(_) => Fault::lock_replaced(),
            None => Fault::lock_removed(),
        };
        Err(self.over.insert(lost).clone())
    }
}
