//! Entries of series, and their defects.

use super::state::State;
use crate::defect::Defect;
use bytes::Bytes;
use queue_core::{SeriesEntry, SeriesName, SeriesPage, SeriesQuery, Span, Timestamp, WorkerId};
use std::collections::BTreeMap;

/// Bytes and the end of their time, by series, slot and writer.
pub(super) type Series = BTreeMap<(SeriesName, i64, WorkerId), (Bytes, Timestamp)>;

impl State {
    pub(super) fn write_series(&mut self, entry: SeriesEntry, ttl: Span) {
        let now = self.now;
        self.series.retain(|_, (_, until)| *until > now);
        let SeriesEntry { series, slot, mut writer, mut bytes } = entry;
        if self.has(Defect::SeriesOfSlot) {
            writer = WorkerId::from_static("a");
        }
        let key = (series, slot, writer);
        let former = self.series.remove(&key);
        if ttl == Span::ZERO {
            return;
        }
        let mut until = now + ttl;
        if let Some((before, former_until)) = former {
            if self.has(Defect::SeriesAdded) {
                bytes = [before, bytes].concat().into();
            }
            if self.has(Defect::SeriesKeepsFirstTime) {
                until = former_until;
            }
        }
        self.series.insert(key, (bytes, until));
    }

    pub(super) fn read_series(&self, query: &SeriesQuery) -> SeriesPage {
        let (slot, writer) = query.start();
        let is_asked = |at: i64, by: &WorkerId| {
            let begins = if self.has(Defect::SeriesPageBySlot) && !writer.is_empty() {
                at > slot
            } else {
                (at, by.as_str()) >= (slot, writer)
            };
            begins && at < query.end()
        };
        let is_kept = |until: Timestamp| until > self.now || self.has(Defect::SeriesShownAfterTime);
        let found = self.series.iter().filter(|((series, at, by), (_, until))| {
            series == query.series() && is_asked(*at, by) && is_kept(*until)
        });
        let entry =
            |((series, slot, writer), (bytes, _)): (&(SeriesName, i64, WorkerId), &(Bytes, Timestamp))| {
                SeriesEntry {
                    series: series.clone(),
                    slot: *slot,
                    writer: writer.clone(),
                    bytes: bytes.clone(),
                }
            };
        query.page(found.take(query.limit()).map(entry).collect())
    }
}
