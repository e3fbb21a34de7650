//! The keys of entries of series, and of the order in which they expire.

use super::{Family, Key, SIGN, TIME_BYTES, beyond, global, named, ordered, with};
use queue_core::{SeriesEntry, SeriesQuery, Timestamp};
use std::ops::Range;

/// An entry of a series.
pub(crate) fn series(entry: &SeriesEntry) -> Key {
    series_from(entry.series.as_str(), entry.slot, entry.writer.as_str())
}

/// The entries that a query asks for.
pub(crate) fn series_range(query: &SeriesQuery) -> Range<Key> {
    let series = query.series().as_str();
    let (slot, writer) = query.start();
    series_from(series, slot, writer)..series_from(series, query.end(), "")
}

/// The slot and the writer at the end of a key of [`series`].
pub(crate) fn slot_and_writer<'k>(key: &'k [u8], query: &SeriesQuery) -> Option<(i64, &'k str)> {
    let (slot, writer) = key.get(2 + query.series().as_str().len()..)?.split_first_chunk()?;
    Some(((u64::from_be_bytes(*slot) ^ SIGN).cast_signed(), std::str::from_utf8(writer).ok()?))
}

/// The place of an entry in the order in which entries expire.
pub(crate) fn series_expiry(entry: &[u8], until: Timestamp) -> Key {
    with(with(global(Family::SeriesExpiry), &ordered(until)), entry)
}

/// The places of the entries that have expired by then.
pub(crate) fn series_expired(now: Timestamp) -> Range<Key> {
    let prefix = global(Family::SeriesExpiry);
    prefix.clone()..beyond(with(prefix, &ordered(now)))
}

/// The key of the entry at whose place in that order this key is.
pub(crate) fn series_of_expiry(expiry: &[u8]) -> Key {
    expiry[1 + TIME_BYTES..].to_vec()
}

fn series_from(series: &str, slot: i64, writer: &str) -> Key {
    let slot = (slot.cast_unsigned() ^ SIGN).to_be_bytes();
    with(with(named(Family::Series, series), &slot), writer.as_bytes())
}
