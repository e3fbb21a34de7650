//! The verb that stops and resumes the claims of a queue, or of one of its kinds.

use super::{commit::Database, session::SqliteSession};
use queue_core::{Kind, Pause, QueueName};
use queue_store::group_commit::Verb;
use rusqlite::params;

/// Stops or resumes the claims of a queue, or of one kind, for every process.
#[derive(Debug)]
pub(crate) struct SqliteSetPaused {
    pub(crate) queue: QueueName,
    pub(crate) kind: Option<Kind>,
    pub(crate) pause: Pause,
}

impl Verb<Database> for SqliteSetPaused {
    /// An error for a kind that is one too many.
    type Answer = Result<(), queue_core::Error>;

    const NAME: &'static str = "set_paused";

    fn run(&self, session: &mut SqliteSession<'_>) -> rusqlite::Result<Self::Answer> {
        let queue = session.intern_queue(&self.queue)?;
        if let Some(kind) = &self.kind {
            if let Err(refused) = session.set_kind_paused(queue, kind, self.pause)? {
                return Ok(Err(refused));
            }
        } else {
            session.statements.set_paused.execute(params![queue, self.pause.as_millis()])?;
        }
        // A worker with prefetched jobs must learn of a pause too.
        session.notices.wake(&self.queue);
        session.counters.wake(queue);
        Ok(Ok(()))
    }
}
