use super::counts::count;
use crate::{
    attempt::{Halt, Verb},
    keys, row,
    transaction::Transaction,
};
use async_trait::async_trait;
use queue_core::{QueueName, QueueStatus, QueuesPage, QueuesQuery};

/// One page of the queues that ever had a job. None is paused, since this store cannot pause.
#[derive(Debug)]
pub(crate) struct Queues<'a> {
    pub(crate) query: &'a QueuesQuery,
}

#[async_trait]
impl Verb for Queues<'_> {
    const NAME: &'static str = "queues";
    type Answer = QueuesPage;

    async fn attempt(&self, transaction: &mut Transaction<'_>) -> Result<Self::Answer, Halt> {
        let names = keys::names_from(self.query.start());
        let mut queues = Vec::new();
        for (key, _) in transaction.scan(names, self.query.limit()).await? {
            let name: QueueName = row::read_name(keys::name_of(&key))?;
            let counts = count(transaction, &name).await?;
            queues.push(QueueStatus { name, paused: false, counts });
        }
        Ok(self.query.page(queues))
    }
}
