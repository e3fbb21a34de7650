//! `prune`: one transaction of it.

use super::get::NO_QUEUE;
use crate::{
    call::{CallConnection, SqlVerb},
    row::{counter, limit, name},
    verb_error::VerbError,
};
use queue_core::{JobChange, JobId, Prune, QueueName, Seq};
use sqlx::Row;

/// Removes as many records as fit one transaction; the store sends it again until the request is
/// met.
#[derive(Debug)]
pub(crate) struct PostgresPruneSome<'a> {
    pub(crate) queue: &'a QueueName,
    pub(crate) what: Prune,
    pub(crate) limit: usize,
}

/// What one transaction of a prune did.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PruneBatch {
    pub(crate) removed: usize,
    /// Whether there is nothing more to look at. Jobs that were on their way to another table may
    /// still be left.
    pub(crate) is_all: bool,
}

impl PostgresPruneSome<'_> {
    /// Records removed in one transaction, so that others need not wait long for their rows.
    pub(crate) const MAX: usize = 5_000;
}

impl SqlVerb for PostgresPruneSome<'_> {
    type Answer = PruneBatch;

    const NAME: &'static str = "prune";

    async fn run(&self, connection: &mut CallConnection<'_>) -> Result<PruneBatch, VerbError> {
        let queue = connection.find_queue(self.queue).await?.unwrap_or(NO_QUEUE);
        let handle = connection.handle;
        let origin = connection.origin();
        let floor = connection.time_floor();
        let (statement, age) = match self.what {
            Prune::Expired => (&handle.statements.prune_expired, None),
            Prune::FinishedBefore(age) => (&handle.statements.prune_finished, Some(age.as_millis())),
            Prune::Everything => (&handle.statements.prune_everything, None),
        };
        let rows = connection
            .write(statement, |query| {
                let query = query.bind(floor).bind(queue).bind(age).bind(limit(self.limit));
                query.bind(handle.notify_channel().map(str::to_owned)).bind(origin.clone())
            })
            .await?;
        connection.note_time(&rows, 1)?;
        let looked_at = counter(rows.first().ok_or(sqlx::Error::RowNotFound)?, 5)?;
        let mut removed = 0;
        for row in &rows {
            if row.try_get::<Option<i64>, _>(3)?.is_some() {
                let seq = Seq::new(counter(row, 3)?);
                let revision = counter(row, 4)?;
                let change = JobChange { id: name::<JobId>(row, 2)?, seq, revision, state: None };
                connection.notices.tell(self.queue, change);
                removed += 1;
            }
        }
        Ok(PruneBatch { removed, is_all: looked_at < self.limit as u64 })
    }
}
