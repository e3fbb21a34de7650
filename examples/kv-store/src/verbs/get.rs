use crate::{
    attempt::{Halt, Verb},
    transaction::Transaction,
};
use async_trait::async_trait;
use queue_core::{Detail, JobId, JobRecord, QueueName};

/// Jobs by id, all as they were at one moment.
#[derive(Debug)]
pub(crate) struct Get<'a> {
    pub(crate) queue: &'a QueueName,
    pub(crate) ids: &'a [JobId],
    pub(crate) what: Detail,
}

#[async_trait]
impl Verb for Get<'_> {
    const NAME: &'static str = "get";
    type Answer = Vec<Option<JobRecord>>;

    async fn attempt(&self, transaction: &mut Transaction<'_>) -> Result<Self::Answer, Halt> {
        transaction.load_holders(self.ids.iter().map(|id| (self.queue, id)).collect()).await?;
        let mut records = Vec::with_capacity(self.ids.len());
        for id in self.ids {
            records.push(self.one(transaction, id).await?);
        }
        Ok(records)
    }
}

impl Get<'_> {
    async fn one(&self, transaction: &mut Transaction<'_>, id: &JobId) -> Result<Option<JobRecord>, Halt> {
        let now = transaction.now();
        let found = transaction.find(self.queue, id).await?.filter(|job| !job.meta.is_purged(now));
        let Some(meta) = found.map(|job| job.meta) else { return Ok(None) };
        let body = match self.what {
            Detail::Meta => None,
            Detail::Full => Some(transaction.body(self.queue, meta.seq).await?),
        };
        Ok(Some(JobRecord { meta, body }))
    }
}
