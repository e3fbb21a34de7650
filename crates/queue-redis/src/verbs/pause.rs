//! `set_paused` and `set_kind_paused`: stops or resumes the claims of a queue, or of a kind.

use crate::{
    client::Access,
    handle::{HandleState, ScriptAnswer, arg},
    script,
};
use queue_core::{Kind, Pause, PausedKind, QueueName, Result};

impl HandleState {
    /// Stops or resumes claims.
    pub(crate) async fn set_paused(&self, queue: &QueueName, pause: Pause) -> Result<()> {
        let args = vec![arg(pause.as_millis())];
        let queue = self.queues.get(queue);
        // A queue that is only paused is listed too.
        self.number("set_paused", &queue).await?;
        self.call("set_paused", &script::PAUSE, &queue, Access::Writes, args).await.map(drop)
    }

    /// Stops or resumes claims of one kind.
    pub(crate) async fn set_kind_paused(&self, queue: &QueueName, kind: &Kind, pause: Pause) -> Result<()> {
        let operation = "set_kind_paused";
        let args = vec![kind.as_str().as_bytes().to_vec(), arg(pause.as_millis())];
        let queue = self.queues.get(queue);
        self.number(operation, &queue).await?;
        let ScriptAnswer { mut rest, .. } =
            self.call(operation, &script::PAUSE_KIND, &queue, Access::Writes, args).await?;
        let is_one_too_many = rest.integer()? != 0;
        if is_one_too_many { PausedKind::check_room(PausedKind::KINDS_MAX) } else { Ok(()) }
    }
}
