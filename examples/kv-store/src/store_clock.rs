use queue_core::{Clock, HighWater, Timestamp};
use std::sync::{Arc, Mutex, PoisonError};

/// Store time as one handle tells it: the clock, the mark that is stored, and whatever was told before, whichever is
/// latest (I24).
#[derive(Debug)]
pub(crate) struct StoreClock {
    clock: Arc<dyn Clock>,
    told: Mutex<HighWater>,
}

impl StoreClock {
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, told: Mutex::default() }
    }

    /// The time, given the mark as it was just read.
    pub(crate) fn now(&self, stored: Timestamp) -> Timestamp {
        let reading = self.clock.now().max(stored);
        self.told.lock().unwrap_or_else(PoisonError::into_inner).advance(reading)
    }
}
