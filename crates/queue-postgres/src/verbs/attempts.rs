//! `attempts`: jobs with the attempts that were charged to them.

use super::get::NO_QUEUE;
use crate::{
    call::{CallConnection, SqlVerb},
    row::{META_COLUMNS, code, counter, foreign, name, read_job, time},
    verb_error::VerbError,
};
use queue_core::{Attempt, AttemptOutcome, JobAttempts, JobId, QueueName, Stamped};
use sqlx::{Row, postgres::PgRow};

/// Where the columns of the job begin in the answer, and the columns of an attempt.
const JOB_AT: usize = 2;
const ATTEMPT_AT: usize = JOB_AT + META_COLUMNS;

/// Reads jobs with the attempts that were charged to them, in the order of the ids.
#[derive(Debug)]
pub(crate) struct PostgresReadAttempts<'a> {
    pub(crate) queue: &'a QueueName,
    pub(crate) ids: &'a [JobId],
}

impl SqlVerb for PostgresReadAttempts<'_> {
    type Answer = Stamped<Vec<Option<JobAttempts>>>;

    const NAME: &'static str = "attempts";
    const WRITES: bool = false;

    async fn run(&self, connection: &mut CallConnection<'_>) -> Result<Self::Answer, VerbError> {
        let queue = connection.find_queue(self.queue).await?.unwrap_or(NO_QUEUE);
        let handle = connection.handle;
        let floor = connection.time_floor();
        let ids: Vec<&str> = self.ids.iter().map(JobId::as_str).collect();
        let rows = connection
            .read(&handle.statements.attempts, |query| query.bind(floor).bind(queue).bind(ids))
            .await?;
        let moment = connection.note_time(&rows, 1)?;
        let mut value: Vec<Option<JobAttempts>> = vec![None; self.ids.len()];
        for row in &rows {
            let Some(position) = row.try_get::<Option<i64>, _>(0)? else { continue };
            let place = usize::try_from(position - 1).ok().and_then(|at| value.get_mut(at));
            let place = place.ok_or_else(|| foreign("no such position"))?;
            let job = match place {
                Some(job) => job,
                None => place.insert(without_attempts(row, self.queue)?),
            };
            if row.try_get::<Option<i64>, _>(ATTEMPT_AT)?.is_some() {
                job.attempts.push(read_attempt(row, ATTEMPT_AT)?);
            }
        }
        for job in value.iter_mut().flatten() {
            job.attempts.sort_unstable_by_key(|attempt| attempt.epoch);
        }
        Ok(Stamped::at(moment, value))
    }
}

fn without_attempts(row: &PgRow, queue: &QueueName) -> sqlx::Result<JobAttempts> {
    Ok(JobAttempts { meta: read_job(row, JOB_AT, queue)?.meta, attempts: Vec::new() })
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
