use crate::{
    fault::Fault,
    row::{counter, foreign, name},
    session::Session,
    verb::Verb,
};
use queue_core::{QueueName, Span, WorkerId, WorkerInfo};
use sqlx::{Row, postgres::PgRow};

/// Shows a worker for a while, or retires it. Those that stopped announcing themselves leave on the way.
#[derive(Debug)]
pub(crate) struct Announce<'a> {
    pub(crate) worker: &'a WorkerInfo,
    pub(crate) ttl: Span,
}

impl Verb for Announce<'_> {
    type Answer = ();

    const NAME: &'static str = "announce";

    async fn run(&self, session: &mut Session<'_>) -> Result<(), Fault> {
        let (shared, worker, reading) = (session.shared, self.worker, session.reading());
        let id = worker.id.as_str();
        if self.ttl == Span::ZERO {
            session.write(&shared.statements.delete_worker, |query| query.bind(id.to_owned())).await?;
            return Ok(());
        }
        let queues: Vec<&str> = worker.queues.iter().map(QueueName::as_str).collect();
        // PostgreSQL holds no zero character in a text.
        let host = worker.host.replace('\0', "\u{FFFD}");
        session
            .write(&shared.statements.save_worker, |query| {
                query
                    .bind(reading)
                    .bind(id.to_owned())
                    .bind(queues.join("\n"))
                    .bind(i64::from(worker.concurrency))
                    .bind(i64::from(worker.running))
                    .bind(host.clone())
                    .bind(self.ttl.as_millis())
            })
            .await?;
        Ok(())
    }
}

/// The workers that announced themselves and have not expired.
#[derive(Debug)]
pub(crate) struct ListWorkers;

impl Verb for ListWorkers {
    type Answer = Vec<WorkerInfo>;

    const NAME: &'static str = "workers";
    const WRITES: bool = false;

    async fn run(&self, session: &mut Session<'_>) -> Result<Vec<WorkerInfo>, Fault> {
        let (shared, reading) = (session.shared, session.reading());
        let rows = session.read(&shared.statements.list_workers, |query| query.bind(reading)).await?;
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
        running: small(3)?,
        host: row.try_get(4)?,
    })
}
