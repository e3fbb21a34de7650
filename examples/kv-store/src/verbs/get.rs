use crate::{
    attempt::{Halt, Verb},
    transaction::Transaction,
};
use async_trait::async_trait;
use queue_core::{AnswerRoom, Detail, JobId, JobRecord, QueueName};

/// Jobs by id, all as they were at one moment.
#[derive(Debug)]
pub(crate) struct Get<'a> {
    pub(crate) queue: &'a QueueName,
    pub(crate) ids: &'a [JobId],
    pub(crate) what: Detail,
    pub(crate) room: AnswerRoom,
}

#[async_trait]
impl Verb for Get<'_> {
    const NAME: &'static str = "get";
    type Answer = Vec<Option<JobRecord>>;

    async fn attempt(&self, transaction: &mut Transaction<'_>) -> Result<Self::Answer, Halt> {
        transaction.load_holders(self.ids.iter().map(|id| (self.queue, id)).collect()).await?;
        let (mut records, mut room) = (Vec::with_capacity(self.ids.len()), self.room);
        for id in self.ids {
            records.push(self.one(transaction, id, &mut room).await?);
        }
        Ok(records)
    }
}

impl Get<'_> {
    /// Once the answer is full nothing large is read any more.
    async fn one(
        &self,
        transaction: &mut Transaction<'_>,
        id: &JobId,
        room: &mut AnswerRoom,
    ) -> Result<Option<JobRecord>, Halt> {
        let now = transaction.now();
        let found = transaction.find(self.queue, id).await?.filter(|found| !found.job.meta.is_purged(now));
        let Some(meta) = found.map(|found| found.job.meta) else { return Ok(None) };
        let body = match self.what {
            Detail::Full if !room.is_full() => Some(transaction.body(self.queue, meta.seq).await?),
            Detail::Full | Detail::Meta => None,
        };
        let body = body.filter(|body| room.takes(body.len()));
        Ok(Some(JobRecord { meta, body }))
    }
}
