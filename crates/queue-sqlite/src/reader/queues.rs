//! Reading a page of queues.

use super::Snapshot;
use crate::{row::name, sql, writer::HAS_KINDS};
use queue_core::{Kind, Pause, PausedKind, QueueName, QueueStatus, QueuesPage, QueuesQuery};
use rusqlite::params;

impl Snapshot<'_> {
    /// One page of the queues, all as they are at the same moment.
    pub(crate) fn queues(&self, query: &QueuesQuery) -> rusqlite::Result<QueuesPage> {
        let mut statement = self.connection.prepare_cached(sql::LIST_QUEUES)?;
        let mut rows = statement.query(params![query.start(), crate::row::integer(query.limit() as u64)])?;
        let mut queues = Vec::new();
        while let Some(row) = rows.next()? {
            let queue = row.get(0)?;
            let counts = self.counts_of(queue)?;
            let has_kinds = row.get::<_, u8>(3)? & HAS_KINDS != 0;
            let kinds = if has_kinds { self.kinds(queue)? } else { Vec::new() };
            let paused_kinds =
                kinds.into_iter().map(|(kind, pause)| PausedKind { kind, pause: pause.at(counts.now) });
            let paused_kinds = paused_kinds.filter(|paused| paused.pause.is_on()).collect();
            queues.push(QueueStatus {
                name: name::<QueueName>(row, 1)?,
                pause: Pause::from_millis(row.get(2)?).at(counts.now),
                paused_kinds,
                counts,
            });
        }
        Ok(query.page(queues))
    }

    /// The kinds that are paused or of which jobs are set aside, with pauses that may be over.
    pub(super) fn kinds(&self, queue: i64) -> rusqlite::Result<Vec<(Kind, Pause)>> {
        let mut statement = self.connection.prepare_cached(sql::LOAD_KINDS)?;
        let rows = statement
            .query_map([queue], |row| Ok((name::<Kind>(row, 0)?, Pause::from_millis(row.get(1)?))))?;
        rows.collect()
    }
}
