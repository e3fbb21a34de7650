use crate::{Timestamp, time::store_time::SLOWER_BY};
use std::time::Duration;

/// Store time, and the reading of the clock behind it. Every reply of a store carries both.
///
/// Durations are counted in store time, which never goes back and never stands still. Calendars (a
/// schedule's next tick, "at 9:00", times shown to people) use the clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Moment {
    /// Store time.
    pub now: Timestamp,
    /// What the clock says: at most `now`.
    pub clock: Timestamp,
}

impl Moment {
    /// The rule of store time, for a store to apply in its atomic step: the latest of the highest
    /// time that any write was decided by, the clock's reading, and the
    /// [floor](crate::StoreTime::floor) of the handle that calls.
    pub fn decide(mark: Timestamp, clock: Timestamp, floor: Timestamp) -> Self {
        Self { now: mark.max(clock).max(floor), clock }
    }

    /// Both at once, as long as no clock ever stepped.
    pub const fn at(now: Timestamp) -> Self {
        Self { now, clock: now }
    }

    /// How far store time leads its clock: zero unless some clock was ahead once.
    pub fn lead(self) -> Duration {
        self.now.since(self.clock)
    }

    /// How long the lead lasts: the clock rules again after 64 times the lead, as long as some
    /// handle works.
    pub fn lead_lasts(self) -> Duration {
        self.lead().saturating_mul(SLOWER_BY)
    }

    /// Store time is ahead of its clock, so a claim persists it even if it leases nothing: handles
    /// that live for a single claim each carry on from one another.
    pub fn is_ahead(self) -> bool {
        self.now > self.clock
    }
}
