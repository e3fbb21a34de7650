//! `prune`: removes records, in scripts of bounded size.

use super::SCRIPT_JOBS_MAX;
use crate::{
    client::Access,
    handle::{HandleState, ScriptAnswer, arg},
    known_queues::KnownQueue,
    script,
};
use queue_core::{Prune, PruneRequest, Result};

impl HandleState {
    /// Removes in scripts of bounded size.
    pub(crate) async fn prune(&self, request: PruneRequest) -> Result<u64> {
        self.client.check_open("prune")?;
        let queue = self.queues.get(&request.queue);
        let mut removed = 0;
        let mut rank = 0;
        while removed < request.limit {
            let limit = SCRIPT_JOBS_MAX.min(request.limit - removed);
            let batch = self.prune_some(&queue, request.what, limit, rank).await?;
            removed += batch.removed;
            match (request.what, batch.next_rank) {
                (Prune::Expired, _) if batch.removed < limit => break,
                (Prune::Everything, _) if batch.removed == 0 => break,
                // No index has the time of the end, so a prune by age goes through the terminal
                // records by rank.
                (Prune::FinishedBefore(_), None) => break,
                (_, next_rank) => rank = next_rank.unwrap_or(0),
            }
        }
        Ok(removed as u64)
    }

    async fn prune_some(
        &self,
        queue: &KnownQueue,
        what: Prune,
        limit: usize,
        rank: u64,
    ) -> Result<PruneBatch> {
        let (which, age_ms) = match what {
            Prune::Expired => ("expired", 0),
            Prune::FinishedBefore(age) => ("finished", age.as_millis()),
            Prune::Everything => ("everything", 0),
        };
        let args = vec![which.into(), arg(limit), arg(age_ms), arg(rank)];
        let ScriptAnswer { mut rest, .. } =
            self.call("prune", &script::PRUNE, queue, Access::Writes, args).await?;
        let removed = usize::try_from(rest.count()?).unwrap_or(usize::MAX);
        Ok(PruneBatch { removed, next_rank: u64::try_from(rest.integer()?).ok() })
    }
}

/// What one script removed.
struct PruneBatch {
    removed: usize,
    /// Where to look on, when records were left because they finished too late.
    next_rank: Option<u64>,
}
