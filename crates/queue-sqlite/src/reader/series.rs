//! Reading a page of a series.

use super::Snapshot;
use crate::{
    row::{integer, name},
    sql,
};
use queue_core::{SeriesEntry, SeriesPage, SeriesQuery, Stamped, WorkerId};
use rusqlite::{Row, params};

impl Snapshot<'_> {
    /// One page of the entries that have not expired.
    pub(crate) fn series(&self, query: &SeriesQuery) -> rusqlite::Result<Stamped<SeriesPage>> {
        let mut statement = self.connection.prepare_cached(sql::LIST_SERIES)?;
        let (slot, writer) = query.start();
        let now = self.moment.now.as_millis();
        let limit = integer(query.limit() as u64);
        let asked = params![query.series().as_str(), slot, writer, query.end(), now, limit];
        let read = |row: &Row<'_>| {
            Ok(SeriesEntry {
                series: query.series().clone(),
                slot: row.get(0)?,
                writer: name::<WorkerId>(row, 1)?,
                bytes: row.get::<_, Vec<u8>>(2)?.into(),
            })
        };
        let entries = statement.query_map(asked, read)?.collect::<rusqlite::Result<_>>()?;
        Ok(Stamped::at(self.moment, query.page(entries)))
    }
}
