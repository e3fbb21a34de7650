//! Store time as one handle knows it (I24).

use crate::options::Time;
use parking_lot::{Mutex, MutexGuard};
use queue_core::{Clock, Moment, StoreTime, SystemClock, Timestamp};
use std::{
    sync::atomic::{AtomicBool, AtomicI64, Ordering::SeqCst},
    time::Duration,
};

/// How far store time may run ahead of the mark in the schema when the server answers the time, in
/// milliseconds. Raising the mark is a write that all processes share, so it is not done for each
/// millisecond.
const MARK_LAG_MS: i64 = 2_000;
/// A mark that is behind by less is left alone, so that many handles write it no more often than
/// one.
const SLACK_MS: i64 = MARK_LAG_MS / 2;

/// Store time of one handle (I24): kept from going back by the mark in the schema, and kept going
/// by what this handle learned and has measured since.
#[derive(Debug)]
pub(crate) struct PostgresClock {
    time: Time,
    told: Mutex<StoreTime>,
    /// The latest time in any reply, in milliseconds.
    latest: AtomicI64,
    /// Whether the last reply had a store time ahead of the server's clock.
    is_ahead: AtomicBool,
    /// The mark that is known to be in the schema.
    marked: AtomicI64,
}

/// What a handle knows of the time at one moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClockReading {
    /// The earliest that store time can be, in milliseconds.
    pub(crate) floor: i64,
    /// The reading of an injected clock.
    pub(crate) clock: Option<Timestamp>,
}

impl PostgresClock {
    pub(crate) fn new(time: Time) -> Self {
        let told = Mutex::new(StoreTime::new(ticks(&time)));
        let (latest, marked) = (AtomicI64::new(0), AtomicI64::new(0));
        Self { time, told, latest, is_ahead: AtomicBool::new(false), marked }
    }

    /// Reads the clock. The floor is the first argument of every statement about time.
    pub(crate) fn reading(&self) -> ClockReading {
        let floor = self.lock().floor(ticks(&self.time));
        match &self.time {
            Time::Server => ClockReading { floor: floor.as_millis(), clock: None },
            Time::Injected(clock) => {
                let clock = clock.now();
                ClockReading { floor: floor.max(clock).as_millis(), clock: Some(clock) }
            }
        }
    }

    /// Records the time of a reply.
    pub(crate) fn note(&self, moment: Moment) {
        let ticks = ticks(&self.time);
        self.lock().note(moment.now, ticks);
        self.latest.fetch_max(moment.now.as_millis(), SeqCst);
        self.is_ahead.store(moment.is_ahead(), SeqCst);
    }

    /// The mark to write before anything is decided: by an injected clock, or while the server's is
    /// behind.
    pub(crate) fn to_mark_before(&self) -> Option<i64> {
        if !self.marks_each() {
            return None;
        }
        let floor = self.reading().floor;
        (floor > self.marked.load(SeqCst)).then_some(floor)
    }

    /// The mark to write after something was decided by the server's clock: now and then, and at
    /// once if that turned out to be behind, after `writes`.
    pub(crate) fn to_mark_after(&self, writes: bool) -> Option<i64> {
        let latest = self.latest.load(SeqCst);
        let lag = match &self.time {
            Time::Injected(_) => return None,
            Time::Server if self.is_ahead.load(SeqCst) => {
                if !writes {
                    return None;
                }
                1
            }
            Time::Server => MARK_LAG_MS + SLACK_MS,
        };
        (latest >= self.marked.load(SeqCst).saturating_add(lag)).then_some(latest)
    }

    /// How far the mark in the schema may be behind without being raised.
    pub(crate) fn slack(&self) -> i64 {
        if self.marks_each() { 0 } else { SLACK_MS }
    }

    /// Records that the schema has this mark, or a higher one, or one within the slack.
    pub(crate) fn marked(&self, mark: i64, slack: i64) {
        self.marked.fetch_max(mark.saturating_sub(slack), SeqCst);
    }

    /// Whether no write may be decided by a time that is not on record.
    fn marks_each(&self) -> bool {
        matches!(self.time, Time::Injected(_)) || self.is_ahead.load(SeqCst)
    }

    fn lock(&self) -> MutexGuard<'_, StoreTime> {
        self.told.lock()
    }
}

fn ticks(time: &Time) -> Duration {
    match time {
        Time::Server => SystemClock.ticks(),
        Time::Injected(clock) => clock.ticks(),
    }
}
