//! Maps civil times to moments, including where a clock is put forward or back.
//!
//! A pattern that names times of day runs once for each of them: a skipped time runs at the first
//! moment after the gap, a repeated time at its first pass. An interval pattern follows real time:
//! skipped times do not run, and repeated times run in both passes. Most zones jump by whole hours,
//! but nothing here depends on it.

use crate::{CronPattern, Zone};
use jiff::{
    Timestamp, civil,
    tz::{AmbiguousOffset, TimeZone},
};

/// The changes of a zone's offset that the search for the next time of an interval passes: two a
/// year, for longer than any pattern waits, even for the 29th of February on a given weekday.
const SEGMENTS_MAX: usize = 1000;

/// The first tick after a moment.
pub(crate) fn next(pattern: &CronPattern, zone: &Zone, after: Timestamp) -> Option<Timestamp> {
    if pattern.is_interval() {
        next_in_real_time(pattern, zone.rules(), after)
    } else {
        next_time_of_day(pattern, zone.rules(), after)
    }
}

/// A later civil time never maps to an earlier moment, and no civil time up to the present one maps
/// to a moment after the present, so the search begins at the present civil time.
fn next_time_of_day(pattern: &CronPattern, zone: &TimeZone, after: Timestamp) -> Option<Timestamp> {
    let mut civil = zone.to_datetime(after);
    loop {
        civil = pattern.next_civil(civil, false)?;
        let moment = once(zone, civil)?;
        if moment > after {
            return Some(moment);
        }
    }
}

/// The one moment at which a time of day runs.
fn once(zone: &TimeZone, civil: civil::DateTime) -> Option<Timestamp> {
    match zone.to_ambiguous_timestamp(civil).offset() {
        AmbiguousOffset::Unambiguous { offset } | AmbiguousOffset::Fold { before: offset, .. } => {
            offset.to_timestamp(civil).ok()
        }
        AmbiguousOffset::Gap { after, .. } => {
            // With the later offset the result lies before the jump, so the transition after it is
            // the jump.
            let before_the_jump = after.to_timestamp(civil).ok()?;
            zone.following(before_the_jump).next().map(|jump| jump.timestamp())
        }
    }
}

/// Goes from one change of the offset to the next; between two changes, civil and real time run
/// alike.
fn next_in_real_time(pattern: &CronPattern, zone: &TimeZone, after: Timestamp) -> Option<Timestamp> {
    let mut changes = zone.following(after).map(|change| change.timestamp());
    let mut from = after;
    let mut inclusive = false;
    for _ in 0..SEGMENTS_MAX {
        let offset = zone.to_offset(from);
        let civil = pattern.next_civil(offset.to_datetime(from), inclusive)?;
        let moment = offset.to_timestamp(civil).ok()?;
        match changes.next() {
            Some(change) if change <= moment => (from, inclusive) = (change, true),
            _ => return Some(moment),
        }
    }
    None
}
