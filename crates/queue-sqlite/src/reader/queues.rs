//! Reading a page of queues.

use super::Snapshot;
use crate::{row::name, sql};
use queue_core::{QueueName, QueueStatus, QueuesPage, QueuesQuery};
use rusqlite::params;

impl Snapshot<'_> {
    /// One page of the queues, all as they are at the same moment.
    pub(crate) fn queues(&self, query: &QueuesQuery) -> rusqlite::Result<QueuesPage> {
        let mut statement = self.connection.prepare_cached(sql::LIST_QUEUES)?;
        let mut rows = statement.query(params![query.start(), crate::row::integer(query.limit() as u64)])?;
        let mut queues = Vec::new();
        while let Some(row) = rows.next()? {
            let counts = self.counts_of(row.get(0)?)?;
            queues.push(QueueStatus { name: name::<QueueName>(row, 1)?, paused: row.get(2)?, counts });
        }
        Ok(query.page(queues))
    }
}
