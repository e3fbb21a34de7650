//! `attempts`: one job with the attempts that were charged to it.

use super::claim::read_named;
use crate::{
    attempts::read_attempts,
    client::Access,
    handle::{HandleState, ScriptAnswer},
    reply::corrupt,
    script,
};
use queue_core::{JobAttempts, JobId, QueueName, Result, Stamped};

impl HandleState {
    pub(crate) async fn attempts(
        &self,
        name: &QueueName,
        id: &JobId,
    ) -> Result<Stamped<Option<JobAttempts>>> {
        let queue = self.queues.get(name);
        let args = vec![id.as_str().as_bytes().to_vec()];
        let ScriptAnswer { moment, number, mut rest } =
            self.call("attempts", &script::ATTEMPTS, &queue, Access::Reads, args).await?;
        let named = rest.optional()?;
        let kept = rest.bytes()?;
        let Some(named) = named else { return Ok(Stamped::at(moment, None)) };
        let stored = read_named(name, number, &named).ok_or_else(|| corrupt("attempts"))?;
        let attempts = read_attempts(&kept).ok_or_else(|| corrupt("attempts"))?;
        Ok(Stamped::at(moment, Some(JobAttempts { meta: stored.meta, attempts })))
    }
}
