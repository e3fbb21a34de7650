//! `write_series` and `read_series`: small blobs by slot and writer.

use crate::{
    call::{CallConnection, SqlVerb},
    row::name,
    verb_error::VerbError,
};
use queue_core::{SeriesEntry, SeriesPage, SeriesQuery, Span, Stamped};
use sqlx::Row;

/// Keeps an entry for a while, or removes it. Some of those that have expired leave on the way.
#[derive(Debug)]
pub(crate) struct PostgresWriteSeries<'a> {
    pub(crate) entry: &'a SeriesEntry,
    pub(crate) ttl: Span,
}

impl SqlVerb for PostgresWriteSeries<'_> {
    type Answer = ();

    const NAME: &'static str = "write_series";

    async fn run(&self, connection: &mut CallConnection<'_>) -> Result<(), VerbError> {
        let handle = connection.handle;
        let floor = connection.time_floor();
        let SeriesEntry { series, slot, writer, bytes } = self.entry;
        if self.ttl == Span::ZERO {
            let delete = &handle.statements.delete_series;
            connection
                .write(delete, |query| {
                    query.bind(series.as_str().to_owned()).bind(*slot).bind(writer.as_str().to_owned())
                })
                .await?;
            return Ok(());
        }
        connection
            .write(&handle.statements.save_series, |query| {
                query
                    .bind(floor)
                    .bind(series.as_str().to_owned())
                    .bind(*slot)
                    .bind(writer.as_str().to_owned())
                    .bind(self.ttl.as_millis())
                    .bind(bytes.to_vec())
                    .bind(small(SeriesEntry::SWEPT_MAX))
            })
            .await?;
        Ok(())
    }
}

/// One page of the entries that have not expired.
#[derive(Debug)]
pub(crate) struct PostgresReadSeries<'a>(pub(crate) &'a SeriesQuery);

impl SqlVerb for PostgresReadSeries<'_> {
    type Answer = Stamped<SeriesPage>;

    const NAME: &'static str = "read_series";
    const WRITES: bool = false;

    async fn run(&self, connection: &mut CallConnection<'_>) -> Result<Self::Answer, VerbError> {
        let handle = connection.handle;
        let floor = connection.time_floor();
        let asked = self.0;
        let (slot, writer) = asked.start();
        let rows = connection
            .read(&handle.statements.list_series, |query| {
                query
                    .bind(floor)
                    .bind(asked.series().as_str().to_owned())
                    .bind(slot)
                    .bind(writer.to_owned())
                    .bind(asked.end())
                    .bind(small(asked.limit()))
            })
            .await?;
        let moment = connection.note_time(&rows, 0)?;
        let mut entries = Vec::new();
        for row in &rows {
            let Some(slot) = row.try_get(1)? else { continue };
            let bytes = row.try_get::<Vec<u8>, _>(3)?.into();
            entries.push(SeriesEntry { series: asked.series().clone(), slot, writer: name(row, 2)?, bytes });
        }
        Ok(Stamped::at(moment, asked.page(entries)))
    }
}

/// A limit as the server takes it.
fn small(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}
