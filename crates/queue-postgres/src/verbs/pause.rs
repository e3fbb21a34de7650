//! `set_paused`: stops or resumes the claims of a queue.

use crate::{
    call::{CallConnection, SqlVerb},
    verb_error::VerbError,
};
use queue_core::{Pause, QueueName};

/// Stops or resumes the claims of a queue, for every process.
#[derive(Debug)]
pub(crate) struct PostgresSetPaused<'a> {
    pub(crate) queue: &'a QueueName,
    pub(crate) pause: Pause,
}

impl SqlVerb for PostgresSetPaused<'_> {
    type Answer = ();

    const NAME: &'static str = "set_paused";

    async fn run(&self, connection: &mut CallConnection<'_>) -> Result<(), VerbError> {
        let queue = connection.intern_queue(self.queue).await?;
        let handle = connection.handle;
        let origin = connection.origin();
        connection
            .write(&handle.statements.set_paused, |query| {
                let query = query.bind(queue).bind(self.pause.as_millis());
                query.bind(handle.notify_channel().map(str::to_owned)).bind(origin.clone())
            })
            .await?;
        // Workers that hold jobs ready need a hint of a pause too.
        connection.notices.wake(self.queue);
        Ok(())
    }
}
