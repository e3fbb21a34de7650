use super::{commit::Database, session::Session};
use queue_core::{QueueName, Span, WorkerInfo, group_commit::Verb};
use rusqlite::params;

/// Shows a worker for a while, or retires it. Those that stopped announcing themselves leave on the way.
#[derive(Debug)]
pub(crate) struct Announce {
    pub(crate) worker: WorkerInfo,
    pub(crate) ttl: Span,
}

impl Verb<Database> for Announce {
    type Answer = ();

    const NAME: &'static str = "announce";

    fn run(&self, session: &mut Session<'_>) -> rusqlite::Result<()> {
        let Self { worker, ttl } = self;
        session.statements.expire_workers.execute([session.moment.now.as_millis()])?;
        if *ttl == Span::ZERO {
            session.statements.delete_worker.execute([worker.id.as_str()])?;
            return Ok(());
        }
        let queues: Vec<&str> = worker.queues.iter().map(QueueName::as_str).collect();
        session.statements.save_worker.execute(params![
            worker.id.as_str(),
            queues.join("\n"),
            worker.concurrency,
            worker.running,
            worker.host,
            (session.moment.now + *ttl).as_millis(),
        ])?;
        Ok(())
    }
}
