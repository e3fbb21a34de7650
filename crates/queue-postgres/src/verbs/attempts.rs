//! `attempts`: one job with the attempts that were charged to it.

use super::get::NO_QUEUE;
use crate::{
    call::{CallConnection, SqlVerb},
    row::{META_COLUMNS, code, counter, name, read_job, time},
    verb_error::VerbError,
};
use queue_core::{Attempt, AttemptOutcome, JobAttempts, JobId, QueueName, Stamped};
use sqlx::{Row, postgres::PgRow};

/// Where the columns of the job begin in the answer, and those of an attempt.
const JOB_AT: usize = 1;
const ATTEMPT_AT: usize = JOB_AT + META_COLUMNS;

/// A job with the attempts that were charged to it.
#[derive(Debug)]
pub(crate) struct PostgresReadAttempts<'a> {
    pub(crate) queue: &'a QueueName,
    pub(crate) id: &'a JobId,
}

impl SqlVerb for PostgresReadAttempts<'_> {
    type Answer = Stamped<Option<JobAttempts>>;

    const NAME: &'static str = "attempts";
    const WRITES: bool = false;

    async fn run(&self, connection: &mut CallConnection<'_>) -> Result<Self::Answer, VerbError> {
        let queue = connection.find_queue(self.queue).await?.unwrap_or(NO_QUEUE);
        let handle = connection.handle;
        let floor = connection.time_floor();
        let rows = connection
            .read(&handle.statements.attempts, |query| {
                query.bind(floor).bind(queue).bind(self.id.as_str().to_owned())
            })
            .await?;
        let moment = connection.note_time(&rows, 0)?;
        let first = rows.first().ok_or(sqlx::Error::RowNotFound)?;
        if first.try_get::<Option<i64>, _>(JOB_AT)?.is_none() {
            return Ok(Stamped::at(moment, None));
        }
        let mut attempts = Vec::new();
        for row in &rows {
            if row.try_get::<Option<i64>, _>(ATTEMPT_AT)?.is_some() {
                attempts.push(read_attempt(row, ATTEMPT_AT)?);
            }
        }
        attempts.sort_unstable_by_key(|attempt| attempt.epoch);
        let meta = read_job(first, JOB_AT, self.queue)?.meta;
        Ok(Stamped::at(moment, Some(JobAttempts { meta, attempts })))
    }
}

fn read_attempt(row: &PgRow, at: usize) -> sqlx::Result<Attempt> {
    Ok(Attempt {
        epoch: counter(row, at)?,
        worker: name(row, at + 1)?,
        claimed_at: time(row, at + 2)?,
        ended_at: time(row, at + 3)?,
        outcome: code(row.try_get(at + 4)?, AttemptOutcome::from_code)?,
        error_name: row.try_get(at + 5)?,
        error_message: row.try_get(at + 6)?,
    })
}
