//! The verbs that show and hide workers, and give them a duty.

use super::{commit::Database, session::SqliteSession};
use crate::row::duty;
use queue_core::{Duty, QueueName, Span, WorkerId, WorkerInfo};
use queue_store::group_commit::Verb;
use rusqlite::{OptionalExtension, params};

/// Shows a worker for a while, or retires it. Those that stopped announcing themselves leave on the
/// way.
#[derive(Debug)]
pub(crate) struct SqliteAnnounce {
    pub(crate) worker: WorkerInfo,
    pub(crate) ttl: Span,
}

impl Verb<Database> for SqliteAnnounce {
    type Answer = Duty;

    const NAME: &'static str = "announce";

    fn run(&self, session: &mut SqliteSession<'_>) -> rusqlite::Result<Duty> {
        let Self { worker, ttl } = self;
        // An expired announcement goes first, since a request to drain must not outlive it (ADR
        // 0042).
        session.statements.expire_workers.execute([session.moment.now.as_millis()])?;
        if *ttl == Span::ZERO {
            session.statements.delete_worker.execute([worker.id.as_str()])?;
            return Ok(Duty::Work);
        }
        let queues: Vec<&str> = worker.queues.iter().map(QueueName::as_str).collect();
        let saved = params![
            worker.id.as_str(),
            queues.join("\n"),
            worker.concurrency,
            worker.held,
            worker.host,
            (session.moment.now + *ttl).as_millis(),
            &worker.about[..],
        ];
        session.statements.save_worker.query_row(saved, |row| duty(row, 0))
    }
}

/// Gives a worker another duty.
#[derive(Debug)]
pub(crate) struct SqliteSetDuty {
    pub(crate) worker: WorkerId,
    pub(crate) duty: Duty,
}

impl Verb<Database> for SqliteSetDuty {
    /// Its duty then, if it is there.
    type Answer = Option<Duty>;

    const NAME: &'static str = "set_duty";

    fn run(&self, session: &mut SqliteSession<'_>) -> rusqlite::Result<Option<Duty>> {
        let now = session.moment.now.as_millis();
        let asked = params![self.worker.as_str(), now, self.duty.as_code(), Duty::Drain.as_code()];
        session.statements.set_duty.query_row(asked, |row| duty(row, 0)).optional()
    }
}
