use crate::{
    attempt::{Halt, Verb},
    keys::{self, Family},
    row,
    transaction::Transaction,
};
use async_trait::async_trait;
use queue_core::{ListQuery, Page};

/// How many records one read of the walk brings.
const CHUNK: usize = 1000;
/// Whose cursors they are.
const CURSORS: &str = "kv-store";

/// One page of metadata, the simple way: it looks at every record of the queue, and lets the contract sort and cut. A store for more
/// than some thousand records walks an index, as this one does for claims.
#[derive(Debug)]
pub(crate) struct List<'a> {
    pub(crate) query: &'a ListQuery,
}

#[async_trait]
impl Verb for List<'_> {
    const NAME: &'static str = "list";
    type Answer = Page;

    async fn attempt(&self, transaction: &mut Transaction<'_>) -> Result<Self::Answer, Halt> {
        let mut rest = keys::all(Family::Job, &self.query.queue);
        let mut jobs = Vec::new();
        loop {
            let records = transaction.scan(rest.clone(), CHUNK).await?;
            let Some((last, _)) = records.last() else { break };
            rest.start = keys::after(last);
            for (_, record) in &records {
                jobs.push(row::read_job(record)?.job);
            }
        }
        Ok(self.query.page_of(jobs, CURSORS, transaction.moment())?)
    }
}
