use crate::options::Time;
use queue_core::Timestamp;
use std::sync::atomic::{AtomicI64, Ordering};

/// How far store time may run ahead of the mark in the schema when the server tells the time, in milliseconds. Raising
/// the mark is a write that all processes share, so it is not done for each millisecond.
const MARK_LAG_MS: i64 = 2_000;

/// Store time of one handle: kept from going back by everything this handle was told, and by the mark in the schema,
/// which stands for all the others (I24).
#[derive(Debug)]
pub(crate) struct StoreClock {
    time: Time,
    /// The highest time that this handle was told.
    told: AtomicI64,
    /// The highest mark that is known to be in the schema.
    marked: AtomicI64,
}

impl StoreClock {
    pub(crate) fn new(time: Time) -> Self {
        Self { time, told: AtomicI64::new(0), marked: AtomicI64::new(0) }
    }

    /// What a statement is sent as its first argument: a bound that its time is not before.
    pub(crate) fn reading(&self) -> i64 {
        let told = self.told.load(Ordering::SeqCst);
        match &self.time {
            Time::Server => told,
            Time::Injected(clock) => told.max(clock.now().as_millis()),
        }
    }

    /// A statement told this time.
    pub(crate) fn advance(&self, now: Timestamp) {
        self.told.fetch_max(now.as_millis(), Ordering::SeqCst);
    }

    /// The mark to write before anything is decided by an injected clock.
    pub(crate) fn to_mark_before(&self) -> Option<i64> {
        let reading = self.reading();
        let is_behind = reading > self.marked.load(Ordering::SeqCst);
        (matches!(self.time, Time::Injected(_)) && is_behind).then_some(reading)
    }

    /// The mark to write after something was decided by the server's clock.
    pub(crate) fn to_mark_after(&self) -> Option<i64> {
        let told = self.told.load(Ordering::SeqCst);
        let is_behind = told >= self.marked.load(Ordering::SeqCst).saturating_add(MARK_LAG_MS);
        (matches!(self.time, Time::Server) && is_behind).then_some(told)
    }

    /// How far the mark in the schema may be behind without being raised.
    pub(crate) fn slack(&self) -> i64 {
        match self.time {
            Time::Server => MARK_LAG_MS / 2,
            Time::Injected(_) => 0,
        }
    }

    /// The mark is in the schema, or a higher one, or one within the slack.
    pub(crate) fn marked(&self, mark: i64) {
        self.marked.fetch_max(mark, Ordering::SeqCst);
    }
}
