//! Store time, which all handles on one database share.

use parking_lot::{Mutex, MutexGuard};
use queue_core::{Clock, Moment, StoreTime, Timestamp};
use std::sync::Arc;

/// The clock, and the latest time that callers were told (I24). The mark in the database does the
/// same for other processes.
#[derive(Debug)]
pub(crate) struct KvClock {
    clock: Arc<dyn Clock>,
    time: Mutex<StoreTime>,
}

impl KvClock {
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        let time = Mutex::new(StoreTime::new(clock.ticks()));
        Self { clock, time }
    }

    /// The moment of a transaction that found this mark.
    pub(crate) fn moment(&self, mark: Timestamp) -> Moment {
        let floor = self.time().floor(self.clock.ticks());
        Moment::decide(mark, self.clock.now(), floor)
    }

    /// Notes the moment of a finished transaction, before its answers go out.
    pub(crate) fn tell(&self, moment: Moment) {
        self.time().note(moment.now, self.clock.ticks());
    }

    fn time(&self) -> MutexGuard<'_, StoreTime> {
        self.time.lock()
    }
}
