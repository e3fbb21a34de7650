use queue_core::{Clock, HighWater, Timestamp};
use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicI64, Ordering},
};

/// What a handle puts into a script about time: the injected reading, if a clock was injected.
#[derive(Debug)]
pub(crate) struct StoreClock {
    clock: Option<Arc<dyn Clock>>,
    mark: Mutex<HighWater>,
}

/// The highest time that this handle was told by one queue. Reads tell times that they do not write down (I24).
#[derive(Debug, Default)]
pub(crate) struct Told(AtomicI64);

impl StoreClock {
    pub(crate) fn new(clock: Option<Arc<dyn Clock>>) -> Self {
        Self { clock, mark: Mutex::default() }
    }

    /// The two arguments of every script that are about time.
    pub(crate) fn args(&self, told: &Told) -> [Vec<u8>; 2] {
        let injected = self.reading().map(|now| now.as_millis().max(0).to_string());
        let told = told.0.load(Ordering::Acquire);
        [injected.unwrap_or_default().into_bytes(), told.to_string().into_bytes()]
    }

    fn reading(&self) -> Option<Timestamp> {
        let reading = self.clock.as_ref()?.now();
        Some(self.mark.lock().unwrap_or_else(PoisonError::into_inner).advance(reading))
    }
}

impl Told {
    /// As if it had been told this already.
    pub(crate) fn new(now: Timestamp) -> Self {
        Self(AtomicI64::new(now.as_millis()))
    }

    pub(crate) fn get(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::Acquire))
    }

    /// Remembers what a script told.
    pub(crate) fn raise(&self, now: Timestamp) {
        self.0.fetch_max(now.as_millis(), Ordering::AcqRel);
    }
}
