use crate::{
    attempt::{Halt, Verb},
    transaction::Transaction,
};
use async_trait::async_trait;
use queue_core::{AnswerRoom, Enqueued, NewJob, QueueName};

/// All groups in one transaction, which is more than each of them in one.
#[derive(Debug)]
pub(crate) struct Enqueue<'a> {
    pub(crate) queue: &'a QueueName,
    pub(crate) groups: &'a [Vec<NewJob>],
    pub(crate) room: AnswerRoom,
}

#[async_trait]
impl Verb for Enqueue<'_> {
    const NAME: &'static str = "enqueue";
    type Answer = Vec<Vec<Enqueued>>;

    async fn attempt(&self, transaction: &mut Transaction<'_>) -> Result<Self::Answer, Halt> {
        let ids = self.groups.iter().flatten().map(|new| (self.queue, &new.id));
        transaction.load_holders(ids.collect()).await?;
        let (mut answers, mut room) = (Vec::with_capacity(self.groups.len()), self.room);
        for group in self.groups {
            let mut answer = Vec::with_capacity(group.len());
            for new in group {
                answer.push(transaction.enqueue(self.queue, new, &mut room).await?);
            }
            answers.push(answer);
        }
        Ok(answers)
    }
}
