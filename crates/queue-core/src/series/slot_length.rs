//! The two lengths of slots, with the series and the time to live of each.

use crate::{SeriesName, Timestamp};
use std::time::Duration;

/// How long a slot of a series is. Slots are numbered from the beginning of store time: slot `n`
/// of minutes begins `n` minutes after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SlotLength {
    /// One minute; entries are kept for 3 days.
    Minute,
    /// One hour; entries are kept for 90 days.
    Hour,
}

impl SlotLength {
    /// The name of the series.
    pub fn series(self) -> SeriesName {
        SeriesName::from_static(match self {
            Self::Minute => "queue.minutes",
            Self::Hour => "queue.hours",
        })
    }

    /// How long an entry is kept after it was written.
    pub const fn ttl(self) -> Duration {
        match self {
            Self::Minute => Duration::from_secs(3 * 24 * 3600),
            Self::Hour => Duration::from_secs(90 * 24 * 3600),
        }
    }

    /// The length of a slot.
    pub const fn duration(self) -> Duration {
        match self {
            Self::Minute => Duration::from_secs(60),
            Self::Hour => Duration::from_secs(3600),
        }
    }

    /// How long after the end of a slot workers write their entries at the latest. They measure the
    /// rest of a slot with clocks of their own, and so add a sixty-fourth of its length.
    pub const fn write_delay_max(self) -> Duration {
        match self {
            Self::Minute => Duration::from_secs(12),
            Self::Hour => Duration::from_secs(70),
        }
    }

    const fn millis(self) -> i64 {
        match self {
            Self::Minute => 60_000,
            Self::Hour => 3_600_000,
        }
    }

    /// The slot of this moment.
    pub const fn slot_at(self, at: Timestamp) -> i64 {
        at.as_millis().div_euclid(self.millis())
    }

    /// The first slot that workers may not have written yet at this moment: they write a slot
    /// within [`write_delay_max`](Self::write_delay_max) of its end, unless the store refuses it.
    pub fn first_unwritten(self, now: Timestamp) -> i64 {
        let delay = i64::try_from(self.write_delay_max().as_millis()).unwrap_or(i64::MAX);
        self.slot_at(Timestamp::from_millis(now.as_millis().saturating_sub(delay)))
    }

    /// When a slot begins.
    pub const fn starts_at(self, slot: i64) -> Timestamp {
        Timestamp::from_millis(slot.saturating_mul(self.millis()))
    }
}
