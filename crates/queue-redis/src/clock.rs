//! Store time as one handle knows it (I24).

use parking_lot::{Mutex, MutexGuard};
use queue_core::{Clock, Moment, StoreTime, SystemClock, Timestamp};
use std::{sync::Arc, time::Duration};

/// The clock of one handle: it makes the arguments of scripts about time.
#[derive(Debug)]
pub(crate) struct RedisClock {
    /// The clock that is read instead of the server's.
    injected: Option<Arc<dyn Clock>>,
}

/// What this handle knows of the time of one queue, or of one server.
#[derive(Debug)]
pub(crate) struct KnownTime(Mutex<StoreTime>);

impl RedisClock {
    pub(crate) fn new(injected: Option<Arc<dyn Clock>>) -> Self {
        Self { injected }
    }

    /// Whether one clock is read for all queues, wherever they are.
    pub(crate) fn is_injected(&self) -> bool {
        self.injected.is_some()
    }

    /// The two arguments of every script that are about time: the injected reading, if a clock was
    /// injected, and the floor.
    pub(crate) fn args(&self, known: &KnownTime) -> [Vec<u8>; 2] {
        let injected = self.injected.as_ref().map(|clock| text(clock.now()));
        [injected.unwrap_or_default(), text(self.floor(known))]
    }

    /// The earliest that store time can be, by what the server answered and what this handle
    /// measured since.
    pub(crate) fn floor(&self, known: &KnownTime) -> Timestamp {
        known.lock().floor(self.ticks())
    }

    /// Records the time in a script's answer, when the answer arrives.
    pub(crate) fn note(&self, known: &KnownTime, moment: Moment) {
        known.lock().note(moment.now, self.ticks());
    }

    /// The knowledge of a handle that has learned no time yet.
    pub(crate) fn unknown_time(&self) -> KnownTime {
        KnownTime(Mutex::new(StoreTime::new(self.ticks())))
    }

    fn ticks(&self) -> Duration {
        self.injected.as_ref().map_or_else(|| SystemClock.ticks(), Clock::ticks)
    }
}

impl KnownTime {
    /// A copy that goes on by itself.
    pub(crate) fn copy(&self) -> Self {
        Self(Mutex::new(*self.lock()))
    }

    fn lock(&self) -> MutexGuard<'_, StoreTime> {
        self.0.lock()
    }
}

/// Six bytes hold any time that is not before 1970.
fn text(time: Timestamp) -> Vec<u8> {
    time.as_millis().max(0).to_string().into_bytes()
}
