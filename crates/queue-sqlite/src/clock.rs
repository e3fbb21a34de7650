use queue_core::{Clock, HighWater, Timestamp};
use std::sync::{Arc, Mutex, PoisonError};

/// Store time of one handle: the injected clock, kept from going back by every reading of this handle and by the mark
/// in the file, which stands for all the others (I24).
#[derive(Debug)]
pub(crate) struct StoreClock {
    clock: Arc<dyn Clock>,
    mark: Mutex<HighWater>,
}

impl StoreClock {
    /// Starts without a mark: every transaction brings the one of the file.
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, mark: Mutex::default() }
    }

    /// The time of a transaction that found `persisted` in the file.
    pub(crate) fn now(&self, persisted: i64) -> Timestamp {
        let reading = self.clock.now().max(Timestamp::from_millis(persisted));
        self.mark.lock().unwrap_or_else(PoisonError::into_inner).advance(reading)
    }
}
