//! Store time with the reading of the clock behind it.

use crate::{Timestamp, time::store_time::SLOWER_BY};
use std::time::Duration;

/// Store time, and the reading of the clock behind it. Every answer of a store contains both.
///
/// Durations are counted in store time, which never goes back and never stands still. Calendars (a
/// schedule's next tick, "at 9:00", times shown to people) use the clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Moment {
    /// Store time.
    pub now: Timestamp,
    /// The reading of the clock: at most `now`.
    pub clock: Timestamp,
}

impl Moment {
    /// The rule of store time, which a store applies in its atomic step. Store time is the latest
    /// of three times: the highest time at which any write was decided, the reading of the clock,
    /// and the [floor](crate::StoreTime::floor) of the calling handle.
    pub fn decide(mark: Timestamp, clock: Timestamp, floor: Timestamp) -> Self {
        Self { now: mark.max(clock).max(floor), clock }
    }

    /// A moment at which store time and the clock agree, as they do unless a clock stepped.
    pub const fn at(now: Timestamp) -> Self {
        Self { now, clock: now }
    }

    /// How far store time is ahead of its clock: zero unless a clock was ahead once.
    pub fn lead(self) -> Duration {
        self.now.since(self.clock)
    }

    /// How long the lead lasts: the clock has caught up after 64 times the lead, as long as a
    /// handle works.
    pub fn lead_lasts(self) -> Duration {
        self.lead().saturating_mul(SLOWER_BY)
    }

    /// Whether store time is ahead of its clock. A claim then stores it even if it leases nothing,
    /// so that handles that live only for one claim each continue from one another.
    pub fn is_ahead(self) -> bool {
        self.now > self.clock
    }
}
