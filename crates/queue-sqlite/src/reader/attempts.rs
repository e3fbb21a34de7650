//! Reading jobs with their charged attempts.

use super::Snapshot;
use crate::{
    row::{SqliteRecord, code, counter, integer, name, time},
    sql,
};
use queue_core::{Attempt, AttemptOutcome, JobAttempts, JobId, QueueName, Stamped, WorkerId};
use rusqlite::{OptionalExtension, Row, params};

impl Snapshot<'_> {
    /// Reads jobs with the attempts that were charged to them, in the order of the ids; those past
    /// their purge time are absent.
    pub(crate) fn attempts(
        &self,
        queue: &QueueName,
        ids: &[JobId],
    ) -> rusqlite::Result<Stamped<Vec<Option<JobAttempts>>>> {
        let value = match self.find_queue(queue)? {
            Some(number) => {
                let one = |id| {
                    self.job_by_id(number, queue, id)?.map(|stored| self.with_attempts(stored)).transpose()
                };
                ids.iter().map(one).collect::<Result<_, _>>()?
            }
            None => vec![None; ids.len()],
        };
        Ok(Stamped::at(self.moment, value))
    }

    fn with_attempts(&self, stored: SqliteRecord) -> rusqlite::Result<JobAttempts> {
        let SqliteRecord { job, has_attempts, .. } = stored;
        let mut attempts = Vec::new();
        if has_attempts {
            let mut load = self.connection.prepare_cached(sql::LOAD_ATTEMPTS)?;
            let read = load.query_map([integer(job.meta.seq.get())], read)?;
            attempts = read.collect::<Result<_, _>>()?;
        }
        Ok(JobAttempts { meta: job.meta, attempts })
    }

    /// The job that holds an id, unless it is past its purge time.
    pub(super) fn job_by_id(
        &self,
        queue: i64,
        name: &QueueName,
        id: &JobId,
    ) -> rusqlite::Result<Option<SqliteRecord>> {
        let mut find = self.connection.prepare_cached(sql::JOB_BY_ID)?;
        let key = params![queue, id.as_str()];
        let found = find.query_row(key, |row| SqliteRecord::read(row, name)).optional()?;
        let found = found.filter(|stored| !stored.job.meta.is_purged(self.moment.now));
        found.map(|stored| self.with_gate(stored)).transpose()
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<Attempt> {
    Ok(Attempt {
        epoch: counter(0, row.get(0)?)?,
        outcome: code(1, row.get(1)?, AttemptOutcome::from_code)?,
        claimed_at: time(row.get(2)?),
        ended_at: time(row.get(3)?),
        worker: name::<WorkerId>(row, 4)?,
        error_name: row.get(5)?,
        error_message: row.get(6)?,
    })
}
