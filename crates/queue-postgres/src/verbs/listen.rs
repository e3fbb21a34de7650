//! What the task that listens asks of the server: numbers of queues, changes, and probes.

use crate::{
    call::{CallConnection, SqlVerb},
    verb_error::VerbError,
};
use queue_core::QueueName;

/// The number of a queue, given now if it had none.
#[derive(Debug)]
pub(crate) struct PostgresIntern<'a>(pub(crate) &'a QueueName);

impl SqlVerb for PostgresIntern<'_> {
    type Answer = i32;

    const NAME: &'static str = "subscribe";
    const WRITES: bool = false;

    async fn run(&self, connection: &mut CallConnection<'_>) -> Result<i32, VerbError> {
        connection.intern_queue(self.0).await
    }
}

/// Asks every process to tell of each change of these queues, for so many milliseconds.
#[derive(Debug)]
pub(crate) struct PostgresFollow<'a> {
    pub(crate) queues: &'a [i32],
    pub(crate) lasts_ms: i64,
}

impl SqlVerb for PostgresFollow<'_> {
    type Answer = ();

    const NAME: &'static str = "subscribe";
    const WRITES: bool = false;

    async fn run(&self, connection: &mut CallConnection<'_>) -> Result<(), VerbError> {
        let handle = connection.handle;
        let floor = connection.time_floor();
        for queue in self.queues {
            let follow = &handle.statements.follow;
            connection.write(follow, |query| query.bind(floor).bind(*queue).bind(self.lasts_ms)).await?;
        }
        Ok(())
    }
}

/// Sends a text through the server to the listeners on this store's channel.
#[derive(Debug)]
pub(crate) struct PostgresNotify(pub(crate) String);

impl SqlVerb for PostgresNotify {
    type Answer = ();

    const NAME: &'static str = "subscribe";
    const WRITES: bool = false;

    async fn run(&self, connection: &mut CallConnection<'_>) -> Result<(), VerbError> {
        let handle = connection.handle;
        let channel = handle.channel.clone();
        let notify = &handle.statements.notify;
        connection.read(notify, |query| query.bind(channel).bind(self.0.clone())).await.map(drop)
    }
}
