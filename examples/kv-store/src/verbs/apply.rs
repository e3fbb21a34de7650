use crate::{
    attempt::{Halt, Verb},
    keys::{self, Family},
    transaction::Transaction,
};
use async_trait::async_trait;
use queue_core::{
    AnswerRoom, Applied,
    lifecycle::{Transition, Verdict, apply},
};

/// All transitions in one transaction, in their order, each seeing what those before it wrote.
#[derive(Debug)]
pub(crate) struct Apply<'a> {
    pub(crate) batch: &'a [Transition],
}

#[async_trait]
impl Verb for Apply<'_> {
    const NAME: &'static str = "apply";
    type Answer = Vec<Applied>;

    async fn attempt(&self, transaction: &mut Transaction<'_>) -> Result<Self::Answer, Halt> {
        let job = |sent: &Transition| keys::life(Family::Job, &sent.queue, sent.seq);
        transaction.load(self.batch.iter().map(job)).await?;
        let following = self.batch.iter().flat_map(|sent| sent.then.iter().map(|new| (&sent.queue, &new.id)));
        transaction.load_holders(following.collect()).await?;
        let mut answers = Vec::with_capacity(self.batch.len());
        for sent in self.batch {
            answers.push(transaction.apply(sent).await?);
        }
        Ok(answers)
    }
}

impl Transaction<'_> {
    async fn apply(&mut self, sent: &Transition) -> Result<Applied, Halt> {
        let found = self.life(&sent.queue, sent.seq).await?;
        let Some(mut stored) = found else { return Ok(Applied::Missing) };
        let before = stored.job.meta.clone();
        let verdict = apply(&mut stored.job, sent, self.now());
        if let Verdict::Written { .. } = &verdict {
            self.write(Some(&before), &stored);
        }
        let job = stored.job;
        match verdict {
            Verdict::Written { body, attempt } => {
                self.write_body(&job.meta, body).await?;
                if let Some(attempt) = attempt {
                    self.charge(&job.meta, *attempt).await?;
                }
            }
            Verdict::Removed => self.remove(&before),
            Verdict::Replayed => return Ok(Applied::Done(job.meta)),
            Verdict::LeaseLost => return Ok(Applied::LeaseLost(job.meta)),
            Verdict::Stale => return Ok(Applied::Stale(job.meta)),
            Verdict::Missing => return Ok(Applied::Missing),
        }
        // Nobody hears what became of them.
        let mut room = AnswerRoom::new(0);
        for new in &sent.then {
            self.enqueue(&sent.queue, new, &mut room).await?;
        }
        Ok(Applied::Done(job.meta))
    }
}
