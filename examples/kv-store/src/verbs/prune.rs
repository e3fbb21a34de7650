use crate::{
    attempt::{Halt, Verb},
    keys::{self, Family},
    kv::Key,
    transaction::Transaction,
};
use async_trait::async_trait;
use queue_core::{Prune, PruneRequest, Timestamp};
use std::ops::Range;

/// How many records one transaction removes.
pub(crate) const PRUNE_CHUNK: usize = 1000;

/// Removes the first records of a request and answers how many.
#[derive(Debug)]
pub(crate) struct PruneChunk<'a> {
    pub(crate) request: &'a PruneRequest,
    /// At most [`PRUNE_CHUNK`].
    pub(crate) limit: usize,
}

#[async_trait]
impl Verb for PruneChunk<'_> {
    const NAME: &'static str = "prune";
    type Answer = usize;

    async fn attempt(&self, transaction: &mut Transaction<'_>) -> Result<Self::Answer, Halt> {
        let queue = &self.request.queue;
        let found = transaction.scan(self.range(transaction.now()), self.limit).await?;
        let lives: Vec<_> = found.iter().map(|(key, _)| keys::seq_of(key)).collect();
        transaction.load(lives.iter().map(|seq| keys::life(Family::Job, queue, *seq))).await?;
        for seq in &lives {
            let found = transaction.life(queue, *seq).await?.ok_or(Halt::Moved)?;
            transaction.remove(&found.job.meta);
        }
        Ok(lives.len())
    }
}

impl PruneChunk<'_> {
    fn range(&self, now: Timestamp) -> Range<Key> {
        let queue = &self.request.queue;
        match self.request.what {
            Prune::Expired => keys::until(Family::Purge, queue, now),
            Prune::FinishedBefore(age) => {
                let latest = Timestamp::from_millis(now.as_millis().saturating_sub(age.as_millis()));
                keys::until(Family::Finished, queue, latest)
            }
            Prune::Everything => keys::all(Family::Job, queue),
        }
    }
}
