use parking_lot::{Mutex, MutexGuard};
use queue_core::{Clock, Moment, StoreTime, Timestamp};
use std::sync::Arc;

/// Store time as one handle tells it (I24): the clock, and what the handle was told before. The mark that is stored
/// speaks for all other handles.
#[derive(Debug)]
pub(crate) struct StoreClock {
    clock: Arc<dyn Clock>,
    time: Mutex<StoreTime>,
}

impl StoreClock {
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        let time = Mutex::new(StoreTime::new(clock.ticks()));
        Self { clock, time }
    }

    /// The moment of a transaction, given the mark as it was just read.
    pub(crate) fn moment(&self, mark: Timestamp) -> Moment {
        let floor = self.time().floor(self.clock.ticks());
        Moment::decide(mark, self.clock.now(), floor)
    }

    /// A transaction of this moment is done, and is answered.
    pub(crate) fn tell(&self, moment: Moment) {
        self.time().note(moment.now, self.clock.ticks());
    }

    fn time(&self) -> MutexGuard<'_, StoreTime> {
        self.time.lock()
    }
}
