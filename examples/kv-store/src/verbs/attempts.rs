use crate::{
    attempt::{Halt, Verb},
    transaction::Transaction,
};
use async_trait::async_trait;
use queue_core::{JobAttempts, JobId, QueueName};

/// A job with what was charged to it, at one moment.
#[derive(Debug)]
pub(crate) struct Attempts<'a> {
    pub(crate) queue: &'a QueueName,
    pub(crate) id: &'a JobId,
}

#[async_trait]
impl Verb for Attempts<'_> {
    const NAME: &'static str = "attempts";
    type Answer = Option<JobAttempts>;

    async fn attempt(&self, transaction: &mut Transaction<'_>) -> Result<Self::Answer, Halt> {
        let now = transaction.now();
        let found =
            transaction.find(self.queue, self.id).await?.filter(|found| !found.job.meta.is_purged(now));
        let Some(meta) = found.map(|found| found.job.meta) else { return Ok(None) };
        let attempts = transaction.attempts(self.queue, meta.seq).await?;
        Ok(Some(JobAttempts { meta, attempts }))
    }
}
