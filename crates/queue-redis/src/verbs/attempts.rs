//! `attempts`: jobs with the attempts that were charged to them.

use super::claim::read_named;
use crate::{
    attempts::read_attempts,
    client::Access,
    handle::{HandleState, ScriptAnswer},
    reply::{Reply, corrupt},
    script,
};
use queue_core::{JobAttempts, JobId, QueueName, Result, Stamped};

impl HandleState {
    /// Reads the jobs in one script, so there are at most [`JobAttempts::IDS_MAX`] of them.
    pub(crate) async fn attempts(
        &self,
        name: &QueueName,
        ids: &[JobId],
    ) -> Result<Stamped<Vec<Option<JobAttempts>>>> {
        let queue = self.queues.get(name);
        let args = ids.iter().map(|id| id.as_str().as_bytes().to_vec()).collect();
        let ScriptAnswer { moment, number, mut rest } =
            self.call("attempts", &script::ATTEMPTS, &queue, Access::Reads, args).await?;
        let mut jobs = rest.array()?;
        let read = ids.iter().map(|_| read_one(&mut jobs, name, number));
        Ok(Stamped::at(moment, read.collect::<Result<_>>()?))
    }
}

fn read_one(reply: &mut Reply, name: &QueueName, number: u64) -> Result<Option<JobAttempts>> {
    let Some(named) = reply.optional()? else { return Ok(None) };
    let kept = reply.bytes()?;
    let stored = read_named(name, number, &named).ok_or_else(|| corrupt("attempts"))?;
    let attempts = read_attempts(&kept).ok_or_else(|| corrupt("attempts"))?;
    Ok(Some(JobAttempts { meta: stored.meta, attempts }))
}
