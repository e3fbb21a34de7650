//! The verb that writes an entry of a series.

use super::{commit::Database, session::SqliteSession};
use crate::row::integer;
use queue_core::{SeriesEntry, Span};
use queue_store::group_commit::Verb;
use rusqlite::params;

/// Keeps an entry for a while, or removes it. Some of those that have expired leave on the way.
#[derive(Debug)]
pub(crate) struct SqliteWriteSeries {
    pub(crate) entry: SeriesEntry,
    pub(crate) ttl: Span,
}

impl Verb<Database> for SqliteWriteSeries {
    type Answer = ();

    const NAME: &'static str = "write_series";

    fn run(&self, session: &mut SqliteSession<'_>) -> rusqlite::Result<()> {
        let SeriesEntry { series, slot, writer, bytes } = &self.entry;
        let now = session.moment.now;
        let statements = &mut session.statements;
        let most = integer(SeriesEntry::SWEPT_MAX as u64);
        statements.expire_series.execute(params![now.as_millis(), most])?;
        if self.ttl == Span::ZERO {
            statements.delete_series.execute(params![series.as_str(), slot, writer.as_str()])?;
            return Ok(());
        }
        let until = (now + self.ttl).as_millis();
        let saved = params![series.as_str(), slot, writer.as_str(), until, &bytes[..]];
        statements.save_series.execute(saved)?;
        Ok(())
    }
}
