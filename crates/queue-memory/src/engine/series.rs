//! The entries of series.

use super::{Engine, undo_log::UndoLog};
use bytes::Bytes;
use queue_core::{SeriesEntry, SeriesName, SeriesPage, SeriesQuery, Span, Timestamp, WorkerId};
use std::collections::{BTreeMap, BTreeSet};

/// Series, slot and writer.
pub(super) type SeriesKey = (SeriesName, i64, WorkerId);

/// The entries of all series, and the order in which they expire.
#[derive(Debug, Default)]
pub(super) struct SeriesEntries {
    entries: BTreeMap<SeriesKey, (Bytes, Timestamp)>,
    expiries: BTreeSet<(Timestamp, SeriesKey)>,
    /// About the bytes of all entries, written down.
    bytes: usize,
}

/// What an entry takes in a record beside its names and its bytes, at most.
const ENTRY_BYTES: usize = 24;

impl SeriesEntries {
    /// Puts bytes in the place of what the key had, or removes it; answers what the key had.
    pub(super) fn set(
        &mut self,
        key: &SeriesKey,
        new: Option<(Bytes, Timestamp)>,
    ) -> Option<(Bytes, Timestamp)> {
        let former = match new {
            Some((bytes, until)) => {
                self.bytes += written_bytes(key, &bytes);
                self.expiries.insert((until, key.clone()));
                self.entries.insert(key.clone(), (bytes, until))
            }
            None => self.entries.remove(key),
        };
        self.bytes -= former.as_ref().map_or(0, |(bytes, _)| written_bytes(key, bytes));
        let now = self.entries.get(key).map(|(_, until)| *until);
        if let Some((_, until)) = former.as_ref().filter(|(_, until)| Some(*until) != now) {
            self.expiries.remove(&(*until, key.clone()));
        }
        former
    }

    /// The first entries that have expired.
    fn expired(&self, now: Timestamp) -> Vec<SeriesKey> {
        let expired = self.expiries.iter().take_while(|(until, _)| *until <= now);
        expired.take(SeriesEntry::SWEPT_MAX).map(|(_, key)| key.clone()).collect()
    }
}

impl Engine {
    /// Keeps an entry for a while, and removes some that have expired; zero removes the entry.
    pub fn write_series(&mut self, entry: SeriesEntry, ttl: Span, now: Timestamp) {
        self.raise_mark(now);
        for expired in self.series.expired(now) {
            set(&mut self.series, &mut self.undo, &expired, None);
        }
        let SeriesEntry { series, slot, writer, bytes } = entry;
        let kept = (ttl != Span::ZERO).then_some((bytes, now + ttl));
        set(&mut self.series, &mut self.undo, &(series, slot, writer), kept);
    }

    /// One page of the entries that have not expired.
    pub fn read_series(&self, query: &SeriesQuery, now: Timestamp) -> SeriesPage {
        let series = query.series();
        let (slot, writer) = query.start();
        // The text of the start may be no name, so the range begins at any writer of its slot.
        let any = WorkerId::from_static("\u{20}");
        let from = self.series.entries.range((series.clone(), slot, any)..);
        let found = from
            .take_while(|((of, at, _), _)| of == series && *at < query.end())
            .filter(|((_, at, by), (_, until))| *until > now && (*at, by.as_str()) >= (slot, writer));
        query.page(found.take(query.limit()).map(|(key, kept)| entry(key, &kept.0)).collect())
    }

    /// Every entry, and until when it is kept.
    pub fn series(&self) -> impl Iterator<Item = (SeriesEntry, Timestamp)> {
        self.series.entries.iter().map(|(key, (bytes, until))| (entry(key, bytes), *until))
    }

    /// At most this many bytes are all entries in a record.
    pub fn series_bytes(&self) -> usize {
        self.series.bytes
    }

    /// The entries that changed since [`begin`](Engine::begin), each with the time until which it
    /// is kept, or without bytes and time if it was removed.
    pub fn series_edits(&self) -> impl Iterator<Item = (SeriesEntry, Option<Timestamp>)> {
        self.undo.series.keys().map(|key| match self.series.entries.get(key) {
            Some((bytes, until)) => (entry(key, bytes), Some(*until)),
            None => (entry(key, &Bytes::new()), None),
        })
    }

    /// Keeps an entry until then, or removes it.
    pub fn load_series(&mut self, entry: SeriesEntry, until: Option<Timestamp>) {
        let SeriesEntry { series, slot, writer, bytes } = entry;
        self.series.set(&(series, slot, writer), until.map(|until| (bytes, until)));
    }
}

fn written_bytes((series, _, writer): &SeriesKey, bytes: &Bytes) -> usize {
    ENTRY_BYTES + series.as_str().len() + writer.as_str().len() + bytes.len()
}

fn set(series: &mut SeriesEntries, undo: &mut UndoLog, key: &SeriesKey, new: Option<(Bytes, Timestamp)>) {
    let former = series.set(key, new);
    undo.writes_series(key, former);
}

fn entry((series, slot, writer): &SeriesKey, bytes: &Bytes) -> SeriesEntry {
    SeriesEntry { series: series.clone(), slot: *slot, writer: writer.clone(), bytes: bytes.clone() }
}
