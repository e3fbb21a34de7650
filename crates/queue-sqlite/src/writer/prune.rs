//! The verb that removes records.

use super::{commit::Database, session::SqliteSession, waiting::IndexPosition};
use crate::row::{SqliteRecord, integer, written};
use queue_core::{Prune, QueueName};
use queue_store::group_commit::Verb;
use rusqlite::params;

/// Removes records, as many as fit one transaction; the store sends it again until the request is
/// met.
#[derive(Debug)]
pub(crate) struct SqlitePruneSome {
    pub(crate) queue: QueueName,
    pub(crate) what: Prune,
    pub(crate) limit: usize,
}

impl SqlitePruneSome {
    /// Records removed in one transaction, so that other writers need not wait long.
    pub(crate) const MAX: usize = 1_000;
}

impl Verb<Database> for SqlitePruneSome {
    /// How many it removed.
    type Answer = usize;

    const NAME: &'static str = "prune";

    fn weight(&self) -> usize {
        self.limit
    }

    fn run(&self, session: &mut SqliteSession<'_>) -> rusqlite::Result<usize> {
        let Some(queue) = session.find_queue(&self.queue)? else { return Ok(0) };
        let doomed = session.doomed(queue, self)?;
        let removed = doomed.len();
        for stored in doomed {
            let stored = session.with_gate(stored)?;
            written(session.remove(queue, &IndexPosition::of(&stored.job.meta), &stored)?)?;
        }
        Ok(removed)
    }
}

impl SqliteSession<'_> {
    fn doomed(&mut self, queue: i64, request: &SqlitePruneSome) -> rusqlite::Result<Vec<SqliteRecord>> {
        let now = self.moment.now.as_millis();
        let limit = integer(request.limit as u64);
        let read = |row: &rusqlite::Row<'_>| SqliteRecord::read(row, &request.queue);
        let statements = &mut self.statements;
        match request.what {
            Prune::Expired => {
                statements.prune_expired.get()?.query_map(params![queue, now, limit], read)?.collect()
            }
            Prune::FinishedBefore(age) => {
                let cutoff = now.saturating_sub(age.as_millis());
                statements.prune_finished.get()?.query_map(params![queue, cutoff, limit], read)?.collect()
            }
            Prune::Everything => {
                statements.prune_everything.get()?.query_map(params![queue, limit], read)?.collect()
            }
        }
    }
}
