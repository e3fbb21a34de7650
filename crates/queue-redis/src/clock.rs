use parking_lot::{Mutex, MutexGuard};
use queue_core::{Clock, Moment, StoreTime, SystemClock, Timestamp};
use std::{sync::Arc, time::Duration};

/// What a handle puts into a script about time.
#[derive(Debug)]
pub(crate) struct StoreClock {
    /// What is read instead of the server's clock.
    injected: Option<Arc<dyn Clock>>,
}

/// What this handle was told of the time of one queue, or of one server.
#[derive(Debug)]
pub(crate) struct Told(Mutex<StoreTime>);

impl StoreClock {
    pub(crate) fn new(injected: Option<Arc<dyn Clock>>) -> Self {
        Self { injected }
    }

    /// One clock is read for all queues, wherever they are.
    pub(crate) fn is_injected(&self) -> bool {
        self.injected.is_some()
    }

    /// The two arguments of every script that are about time: the injected reading, if a clock was injected, and the floor.
    pub(crate) fn args(&self, told: &Told) -> [Vec<u8>; 2] {
        let injected = self.injected.as_ref().map(|clock| text(clock.now()));
        [injected.unwrap_or_default(), text(self.floor(told))]
    }

    /// The earliest that it can be, by what was told and what was measured since.
    pub(crate) fn floor(&self, told: &Told) -> Timestamp {
        told.lock().floor(self.ticks())
    }

    /// Takes what a script told, on its receipt.
    pub(crate) fn note(&self, told: &Told, moment: Moment) {
        told.lock().note(moment.now, self.ticks());
    }

    /// Nothing was told yet.
    pub(crate) fn untold(&self) -> Told {
        Told(Mutex::new(StoreTime::new(self.ticks())))
    }

    fn ticks(&self) -> Duration {
        self.injected.as_ref().map_or_else(|| SystemClock.ticks(), Clock::ticks)
    }
}

impl Told {
    /// Another that was told the same.
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
