//! `get`: jobs by their ids.

use super::gates::add_end_signals;
use crate::{
    call::{BoundQuery, CallConnection, SqlVerb},
    row::{foreign, limit, read_job, read_record},
    verb_error::VerbError,
};
use queue_core::{Detail, JobId, JobRecord, QueueName, Stamped};
use sqlx::Row;

/// A number that no queue has.
pub(super) const NO_QUEUE: i32 = 0;
/// Where the columns of a job begin in the answer.
const JOB_AT: usize = 2;

/// Reads jobs in the order of the ids; those past their purge time are absent.
#[derive(Debug)]
pub(crate) struct PostgresGet<'a> {
    pub(crate) queue: &'a QueueName,
    pub(crate) ids: &'a [JobId],
    pub(crate) what: Detail,
}

impl SqlVerb for PostgresGet<'_> {
    type Answer = Stamped<Vec<Option<JobRecord>>>;

    const NAME: &'static str = "get";
    const WRITES: bool = false;

    async fn run(&self, connection: &mut CallConnection<'_>) -> Result<Self::Answer, VerbError> {
        let queue = connection.find_queue(self.queue).await?.unwrap_or(NO_QUEUE);
        let handle = connection.handle;
        let floor = connection.time_floor();
        let ids: Vec<&str> = self.ids.iter().map(JobId::as_str).collect();
        let room = limit(handle.options.limits.answer_bytes_max);
        let bind = |query: BoundQuery| query.bind(floor).bind(queue).bind(ids);
        let rows = match self.what {
            Detail::Meta => connection.read(&handle.statements.get_meta, bind).await?,
            Detail::Full => {
                connection.read(&handle.statements.get_full, |query| bind(query).bind(room)).await?
            }
        };
        let moment = connection.note_time(&rows, 1)?;
        let mut value = vec![None; self.ids.len()];
        for row in &rows {
            let Some(position) = row.try_get::<Option<i64>, _>(0)? else { continue };
            let place = usize::try_from(position - 1).ok().and_then(|at| value.get_mut(at));
            let place = place.ok_or_else(|| foreign("no such position"))?;
            *place = Some(match self.what {
                Detail::Meta => JobRecord { meta: read_job(row, JOB_AT, self.queue)?.meta, body: None },
                Detail::Full => read_record(row, JOB_AT, self.queue)?,
            });
        }
        if self.what == Detail::Full {
            add_end_signals(connection, queue, value.iter_mut().flatten()).await?;
        }
        Ok(Stamped::at(moment, value))
    }
}
