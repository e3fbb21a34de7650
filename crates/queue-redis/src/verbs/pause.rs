//! `set_paused`: stops or resumes the claims of a queue.

use crate::{
    client::Access,
    handle::{HandleState, arg},
    script,
};
use queue_core::{Pause, QueueName, Result};

impl HandleState {
    /// Stops or resumes claims.
    pub(crate) async fn set_paused(&self, queue: &QueueName, pause: Pause) -> Result<()> {
        let args = vec![arg(pause.as_millis())];
        let queue = self.queues.get(queue);
        // A queue that is only paused is listed too.
        self.number("set_paused", &queue).await?;
        self.call("set_paused", &script::PAUSE, &queue, Access::Writes, args).await.map(drop)
    }
}
