//! `set_paused`: stops or resumes the claims of a queue, or of one of its kinds.

use crate::{
    client::Access,
    handle::{HandleState, ScriptAnswer, arg},
    script,
};
use queue_core::{Kind, Pause, PausedKind, QueueName, Result};

impl HandleState {
    /// Stops or resumes claims.
    pub(crate) async fn set_paused(
        &self,
        queue: &QueueName,
        kind: Option<&Kind>,
        pause: Pause,
    ) -> Result<()> {
        let operation = "set_paused";
        let script = if kind.is_some() { &script::PAUSE_KIND } else { &script::PAUSE };
        let mut args: Vec<_> = kind.map(|kind| kind.as_str().as_bytes().to_vec()).into_iter().collect();
        args.push(arg(pause.as_millis()));
        let queue = self.queues.get(queue);
        // A queue that is only paused is listed too.
        self.number(operation, &queue).await?;
        let ScriptAnswer { mut rest, .. } =
            self.call(operation, script, &queue, Access::Writes, args).await?;
        let is_one_too_many = kind.is_some() && rest.integer()? != 0;
        if is_one_too_many { PausedKind::check_room(PausedKind::KINDS_MAX) } else { Ok(()) }
    }
}
