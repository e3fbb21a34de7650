//! The verb that stops and resumes the claims of a queue.

use super::{commit::Database, session::SqliteSession};
use queue_core::{Pause, QueueName};
use queue_store::group_commit::Verb;
use rusqlite::params;

/// Stops or resumes the claims of a queue, for every process.
#[derive(Debug)]
pub(crate) struct SqliteSetPaused {
    pub(crate) queue: QueueName,
    pub(crate) pause: Pause,
}

impl Verb<Database> for SqliteSetPaused {
    type Answer = ();

    const NAME: &'static str = "set_paused";

    fn run(&self, session: &mut SqliteSession<'_>) -> rusqlite::Result<()> {
        let queue = session.intern_queue(&self.queue)?;
        session.statements.set_paused.execute(params![queue, self.pause.as_millis()])?;
        // A worker with prefetched jobs must learn of a pause too.
        session.notices.wake(&self.queue);
        session.counters.wake(queue);
        Ok(())
    }
}
