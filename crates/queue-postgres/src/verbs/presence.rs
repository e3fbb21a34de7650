//! `announce`, `set_duty` and `workers`: who works on the store.

use crate::{
    call::{CallConnection, SqlVerb},
    row::{code, counter, foreign, name},
    verb_error::VerbError,
};
use queue_core::{Duty, QueueName, Span, WorkerId, WorkerInfo};
use sqlx::{Row, postgres::PgRow};

/// Shows a worker for a while, or retires it. Those that stopped announcing themselves leave on the
/// way.
#[derive(Debug)]
pub(crate) struct PostgresAnnounce<'a> {
    pub(crate) worker: &'a WorkerInfo,
    pub(crate) ttl: Span,
}

impl SqlVerb for PostgresAnnounce<'_> {
    type Answer = Duty;

    const NAME: &'static str = "announce";

    async fn run(&self, connection: &mut CallConnection<'_>) -> Result<Duty, VerbError> {
        let handle = connection.handle;
        let worker = self.worker;
        let floor = connection.time_floor();
        let id = worker.id.as_str();
        if self.ttl == Span::ZERO {
            connection.write(&handle.statements.delete_worker, |query| query.bind(id.to_owned())).await?;
            return Ok(Duty::Work);
        }
        let queues: Vec<&str> = worker.queues.iter().map(QueueName::as_str).collect();
        // PostgreSQL holds no zero character in a text.
        let host = worker.host.replace('\0', "\u{FFFD}");
        let rows = connection
            .write(&handle.statements.save_worker, |query| {
                query
                    .bind(floor)
                    .bind(id.to_owned())
                    .bind(queues.join("\n"))
                    .bind(i64::from(worker.concurrency))
                    .bind(i64::from(worker.held))
                    .bind(host.clone())
                    .bind(self.ttl.as_millis())
                    .bind(worker.about.to_vec())
            })
            .await?;
        let saved = rows.first().ok_or_else(|| foreign("a worker is not there once it is saved"))?;
        Ok(duty(saved, 0)?)
    }
}

/// Gives a worker another duty.
#[derive(Debug)]
pub(crate) struct PostgresSetDuty<'a> {
    pub(crate) worker: &'a WorkerId,
    pub(crate) duty: Duty,
}

impl SqlVerb for PostgresSetDuty<'_> {
    /// Its duty then, if it is there.
    type Answer = Option<Duty>;

    const NAME: &'static str = "set_duty";

    async fn run(&self, connection: &mut CallConnection<'_>) -> Result<Option<Duty>, VerbError> {
        let handle = connection.handle;
        let floor = connection.time_floor();
        let id = self.worker.as_str();
        let [asked, drain] = [self.duty, Duty::Drain].map(|duty| i16::from(duty.as_code()));
        let rows = connection
            .write(&handle.statements.set_duty, |query| {
                query.bind(floor).bind(id.to_owned()).bind(asked).bind(drain)
            })
            .await?;
        Ok(rows.first().map(|row| duty(row, 0)).transpose()?)
    }
}

/// The workers that announced themselves and have not expired.
#[derive(Debug)]
pub(crate) struct PostgresListWorkers;

impl SqlVerb for PostgresListWorkers {
    type Answer = Vec<WorkerInfo>;

    const NAME: &'static str = "workers";
    const WRITES: bool = false;

    async fn run(&self, connection: &mut CallConnection<'_>) -> Result<Vec<WorkerInfo>, VerbError> {
        let handle = connection.handle;
        let floor = connection.time_floor();
        let rows = connection.read(&handle.statements.list_workers, |query| query.bind(floor)).await?;
        Ok(rows.iter().map(read_worker).collect::<Result<_, _>>()?)
    }
}

fn read_worker(row: &PgRow) -> sqlx::Result<WorkerInfo> {
    let small = |at| u32::try_from(counter(row, at)?).map_err(|_| foreign("no such count"));
    let queue = |text: &str| QueueName::new(text).map_err(|invalid| foreign(invalid.to_string()));
    let queues: &str = row.try_get(1)?;
    Ok(WorkerInfo {
        id: name::<WorkerId>(row, 0)?,
        queues: queues.lines().map(queue).collect::<Result<_, _>>()?,
        concurrency: small(2)?,
        held: small(3)?,
        host: row.try_get(4)?,
        about: row.try_get::<Vec<u8>, _>(5)?.into(),
        duty: duty(row, 6)?,
    })
}

fn duty(row: &PgRow, at: usize) -> sqlx::Result<Duty> {
    code(row.try_get(at)?, Duty::from_code)
}
