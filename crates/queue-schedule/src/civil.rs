//! How civil times become moments, where a clock is put forward or back.
//!
//! A pattern that names times of day runs once for each of them: a time that is skipped at the
//! first moment after the gap, one that is repeated at the first pass. An interval pattern follows
//! real time: what is skipped does not run, what is repeated runs in both passes. Whole hours are
//! all that jumps in most zones, but nothing here rests on it.

use crate::{CronPattern, Zone};
use jiff::{
    Timestamp, civil,
    tz::{AmbiguousOffset, TimeZone},
};

/// Changes of a zone's offset that are looked at for the next time of an interval: two a year for
/// longer than any pattern waits, the 29th of February on a given weekday included.
const SEGMENTS_MAX: usize = 1000;

/// The first tick after a moment.
pub(crate) fn next(pattern: &CronPattern, zone: &Zone, after: Timestamp) -> Option<Timestamp> {
    if pattern.is_interval() {
        next_in_real_time(pattern, zone.rules(), after)
    } else {
        next_time_of_day(pattern, zone.rules(), after)
    }
}

/// A civil time never maps to an earlier moment than one before it, and none up to the present
/// civil time maps to a later moment than the present, so the search begins there.
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
            // With the later offset it lies before the jump, so that the next one is it.
            let before_the_jump = after.to_timestamp(civil).ok()?;
            zone.following(before_the_jump).next().map(|jump| jump.timestamp())
        }
    }
}

/// Goes from one change of the offset to the next; between two, civil and real time run alike.
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
