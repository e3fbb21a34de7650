use crate::{
    attempt::{Halt, Verb},
    keys::{self, Family},
    row,
    transaction::Transaction,
};
use async_trait::async_trait;
use queue_core::{Counts, JobMeta, QueueName};

/// How many records one step of the scan reads.
const PAGE: usize = 1000;

/// Counts by reading every record of the queue. Counters would be faster, and keys that all writers fight for.
#[derive(Debug)]
pub(crate) struct Count<'a> {
    pub(crate) queue: &'a QueueName,
}

#[async_trait]
impl Verb for Count<'_> {
    const NAME: &'static str = "counts";
    type Answer = Counts;

    async fn attempt(&self, transaction: &mut Transaction<'_>) -> Result<Self::Answer, Halt> {
        count(transaction, self.queue).await
    }
}

pub(super) async fn count(transaction: &Transaction<'_>, queue: &QueueName) -> Result<Counts, Halt> {
    let mut counts = Counts::empty(transaction.moment());
    let mut rest = keys::all(Family::Job, queue);
    loop {
        let entries = transaction.scan(rest.clone(), PAGE).await?;
        let Some((last, _)) = entries.last() else { return Ok(counts) };
        rest.start = keys::after(last);
        for (_, bytes) in entries {
            add(&mut counts, &row::read_job(&bytes)?.job.meta);
        }
    }
}

fn add(counts: &mut Counts, job: &JobMeta) {
    let now = counts.now;
    if job.is_purged(now) {
        return;
    }
    counts.set(job.state, counts.of(job.state) + 1);
    counts.scheduled += u64::from(job.is_scheduled(now));
    if job.is_due(now) {
        counts.oldest_due = counts.oldest_due.into_iter().chain([job.run_at]).min();
    }
}
