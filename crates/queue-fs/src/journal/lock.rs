//! The lock that lets one process write, and the check that it still keeps others out.

use super::Journal;
use crate::{error::FsFault, sys::FsFile};
use queue_core::Clock;
use std::{thread, time::Duration};

/// The file that is locked. It also holds the mark.
pub(crate) const LOCK: &str = "LOCK";

/// The first pauses between two tries. They are short, since a busy writer releases the lock for
/// moments only and a long pause would miss these.
const SHORT_PAUSE: Duration = Duration::from_micros(50);
/// How many pauses are short before longer ones follow.
const SHORT_PAUSES: u128 = 200;
const LONG_PAUSE: Duration = Duration::from_millis(1);

/// Takes the lock of a file, and waits for at most this long if another process has it.
///
/// A pause may take twice as long as was asked for on a busy machine, so time is measured rather
/// than pauses counted. The number of pauses is bounded too, for clocks that stand still.
pub(crate) fn take_lock(file: &dyn FsFile, clock: &dyn Clock, timeout: Duration) -> Result<(), FsFault> {
    let gives_up_at = clock.ticks().saturating_add(timeout);
    let pauses_max = SHORT_PAUSES + timeout.as_micros().div_ceil(LONG_PAUSE.as_micros());
    for n in 0..=pauses_max {
        if file.try_lock().map_err(|error| FsFault::io(LOCK, error))? {
            return Ok(());
        }
        if clock.ticks() >= gives_up_at {
            break;
        }
        // The system has no signal for a free lock between processes.
        thread::park_timeout(if n < SHORT_PAUSES { SHORT_PAUSE } else { LONG_PAUSE });
    }
    Err(FsFault::busy())
}

impl Journal {
    /// Takes the lock, and waits for it if another process has it.
    pub(crate) fn lock(&mut self) -> Result<(), FsFault> {
        take_lock(&*self.lock, &*self.clock, self.busy_timeout)?;
        self.is_locked = true;
        self.check_lock().inspect_err(|_| self.unlock())
    }

    /// Releases the lock, if this handle has it. A failure is ignored: the lock ends with the
    /// process.
    pub(crate) fn unlock(&mut self) {
        if std::mem::take(&mut self.is_locked) {
            drop(self.lock.unlock());
        }
    }

    /// Checks that the lock file still has its name. Two processes with locks on two files would
    /// not keep each other out, so a handle whose lock file was removed, moved or replaced by a
    /// repair fails for good.
    pub(crate) fn check_lock(&mut self) -> Result<(), FsFault> {
        let named = self.fs.id_of(LOCK).map_err(|error| FsFault::io(LOCK, error))?;
        let lost = match named {
            Some(id) if id == self.lock_id => return Ok(()),
            Some(_) => FsFault::lock_replaced(),
            None => FsFault::lock_removed(),
        };
        Err(self.over.insert(lost).clone())
    }
}
