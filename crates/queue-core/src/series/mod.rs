//! What workers count, by the minute and by the hour: outcomes, and histograms of wait and run
//! times, for each queue and kind.
//!
//! A worker writes its counts as entries of two series: [`SlotLength::Minute`], kept for 3 days,
//! and [`SlotLength::Hour`], kept for 90. An entry has all that one run of a worker counted in one
//! slot ([`SlotCounts`]), in store time. A [`QueueSeries`] is made of entries in any order: what is
//! in it twice counts once.
//!
//! Everything here is a pure function, of which neither stores nor workers have a copy.

mod histogram;
mod malformed_series;
mod outcome;
mod queue_series;
mod slot_counts;
mod slot_length;
mod wire;
mod work_counts;

pub use histogram::TimeHistogram;
pub use malformed_series::MalformedSeries;
pub use outcome::WorkOutcome;
pub use queue_series::QueueSeries;
pub use slot_counts::{KINDS_MAX, SlotCounts, other_kinds};
pub use slot_length::SlotLength;
pub use work_counts::WorkCounts;

#[cfg(test)]
mod series_tests;
