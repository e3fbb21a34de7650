//! Reads a page of a series.

use crate::{
    failure::{KvFailure, KvResult},
    keys, values,
    view::{STEP, View},
};
use queue_core::{SeriesEntry, SeriesPage, SeriesQuery, Stamped, WorkerId};

impl View<'_> {
    /// One page of the entries that have not expired.
    pub(crate) fn series(&self, query: &SeriesQuery) -> KvResult<Stamped<SeriesPage>> {
        let mut entries = Vec::new();
        let mut range = keys::series_range(query);
        loop {
            let found = self.scan(&range, STEP)?;
            let last = found.last().map(|(key, _)| keys::after(key));
            for (key, value) in found {
                let (until, bytes) = values::read_kept(&value)?;
                if until > self.now() && entries.len() < query.limit() {
                    entries.push(entry(query, &key, bytes)?);
                }
            }
            match last.filter(|_| entries.len() < query.limit()) {
                Some(last) => range.start = last,
                None => return Ok(Stamped::at(self.moment, query.page(entries))),
            }
        }
    }
}

fn entry(query: &SeriesQuery, key: &[u8], bytes: &[u8]) -> KvResult<SeriesEntry> {
    let named = keys::slot_and_writer(key, query);
    let named = named.and_then(|(slot, writer)| Some((slot, WorkerId::new(writer).ok()?)));
    let (slot, writer) = named.ok_or_else(|| KvFailure::corrupt("an entry of a series has no writer"))?;
    Ok(SeriesEntry { series: query.series().clone(), slot, writer, bytes: bytes.to_vec().into() })
}
