//! Store time of one handle.

use crate::error::leapt;
use parking_lot::{Mutex, MutexGuard};
use queue_core::{Clock, ClockBound, Moment, StoreTime, Timestamp};
use std::{sync::Arc, time::Duration};

/// Store time of one handle (I24). Its threads share the last reading; the mark in the file has
/// that of other handles.
#[derive(Debug)]
pub(crate) struct SqliteClock {
    clock: Arc<dyn Clock>,
    time: Mutex<KnownTime>,
}

#[derive(Debug)]
struct KnownTime {
    told: StoreTime,
    bound: ClockBound,
}

impl SqliteClock {
    /// A clock without a reading: every transaction brings the mark of the file.
    pub(crate) fn new(clock: Arc<dyn Clock>, bound: ClockBound) -> Self {
        let time = Mutex::new(KnownTime { told: StoreTime::new(clock.ticks()), bound });
        Self { clock, time }
    }

    /// The moment of a transaction that found `mark` in the file, before it does anything.
    pub(crate) fn moment(&self, mark: i64) -> rusqlite::Result<Moment> {
        let mark = Timestamp::from_millis(mark);
        let mut time = self.time();
        let ticks = self.clock.ticks();
        let moment = Moment::decide(mark, self.clock.now(), time.told.floor(ticks));
        time.bound.check(mark, moment.clock, ticks).map(|()| moment).map_err(leapt)
    }

    /// A transaction of this moment has ended, and its answers go out.
    pub(crate) fn tell(&self, moment: Moment) {
        self.time().told.note(moment.now, self.clock.ticks());
    }

    /// See [`Clock::ticks`].
    pub(crate) fn ticks(&self) -> Duration {
        self.clock.ticks()
    }

    fn time(&self) -> MutexGuard<'_, KnownTime> {
        self.time.lock()
    }
}
