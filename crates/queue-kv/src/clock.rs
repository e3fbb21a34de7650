//! Store time, which all handles on one database share.

use parking_lot::{Mutex, MutexGuard};
use queue_core::{Clock, ClockBound, ClockLeap, Moment, StoreTime, Timestamp};
use std::sync::Arc;

/// The clock, and the latest time that callers learned (I24). The mark in the database does the
/// same for other processes.
#[derive(Debug)]
pub(crate) struct KvClock {
    clock: Arc<dyn Clock>,
    time: Mutex<KnownTime>,
}

#[derive(Debug)]
struct KnownTime {
    told: StoreTime,
    bound: ClockBound,
}

impl KvClock {
    pub(crate) fn new(clock: Arc<dyn Clock>, bound: ClockBound) -> Self {
        let time = Mutex::new(KnownTime { told: StoreTime::new(clock.ticks()), bound });
        Self { clock, time }
    }

    /// The moment of a transaction that found this mark, before it does anything.
    pub(crate) fn moment(&self, mark: Timestamp) -> Result<Moment, ClockLeap> {
        let mut time = self.time();
        let ticks = self.clock.ticks();
        let moment = Moment::decide(mark, self.clock.now(), time.told.floor(ticks));
        time.bound.check(mark, moment.clock, ticks).map(|()| moment)
    }

    /// Notes the moment of a finished transaction, before its answers go out.
    pub(crate) fn tell(&self, moment: Moment) {
        self.time().told.note(moment.now, self.clock.ticks());
    }

    fn time(&self) -> MutexGuard<'_, KnownTime> {
        self.time.lock()
    }
}
