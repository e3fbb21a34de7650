//! Store time of one handle.

use parking_lot::{Mutex, MutexGuard};
use queue_core::{Clock, Moment, StoreTime, Timestamp};
use std::{sync::Arc, time::Duration};

/// Store time of one handle (I24). Its threads share the last reading; the mark in the file has
/// that of other handles.
#[derive(Debug)]
pub(crate) struct SqliteClock {
    clock: Arc<dyn Clock>,
    time: Mutex<StoreTime>,
}

impl SqliteClock {
    /// A clock without a reading: every transaction brings the mark of the file.
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        let time = Mutex::new(StoreTime::new(clock.ticks()));
        Self { clock, time }
    }

    /// The moment of a transaction that found `mark` in the file.
    pub(crate) fn moment(&self, mark: i64) -> Moment {
        let floor = self.time().floor(self.clock.ticks());
        Moment::decide(Timestamp::from_millis(mark), self.clock.now(), floor)
    }

    /// A transaction of this moment has ended, and its answers go out.
    pub(crate) fn tell(&self, moment: Moment) {
        self.time().note(moment.now, self.clock.ticks());
    }

    /// See [`Clock::ticks`].
    pub(crate) fn ticks(&self) -> Duration {
        self.clock.ticks()
    }

    fn time(&self) -> MutexGuard<'_, StoreTime> {
        self.time.lock()
    }
}
