use super::Journal;
use crate::error::Fault;
use std::{thread, time::Duration};

/// The file that is locked. It also holds the mark.
pub(crate) const LOCK: &str = "LOCK";

/// First pauses between two tries: a writer lets go of the lock for moments only, and whoever pauses long goes hungry.
const SHORT_PAUSE: Duration = Duration::from_micros(50);
/// So many of them, then longer ones.
const SHORT_PAUSES: u32 = 200;
const LONG_PAUSE: Duration = Duration::from_millis(1);

impl Journal {
    /// Takes the lock, and waits for it if somebody has it.
    pub(crate) fn lock(&mut self) -> Result<(), Fault> {
        let long_pauses = self.busy_timeout.as_millis() / LONG_PAUSE.as_millis();
        let tries = u128::from(SHORT_PAUSES) + long_pauses;
        for n in 0..=tries {
            if self.lock.try_lock().map_err(|error| Fault::io(LOCK, error))? {
                self.is_locked = true;
                return self.check_lock();
            }
            // Nobody signals that a lock between processes is free.
            thread::park_timeout(if n < u128::from(SHORT_PAUSES) { SHORT_PAUSE } else { LONG_PAUSE });
        }
        Err(Fault::busy())
    }

    /// Lets others go on, if the lock is ours. That this fails is no concern of anybody: it ends with the process.
    pub(crate) fn unlock(&mut self) {
        if std::mem::take(&mut self.is_locked) {
            drop(self.lock.unlock());
        }
    }

    /// Two processes with locks on two files of one name would not keep each other out.
    fn check_lock(&mut self) -> Result<(), Fault> {
        match self.lock.has_name() {
            Ok(true) => Ok(()),
            Ok(false) => {
                self.unlock();
                self.is_poisoned = true;
                Err(Fault::lock_removed())
            }
            Err(error) => {
                self.unlock();
                Err(Fault::io(LOCK, error))
            }
        }
    }
}
