use crate::{
    attempt::{Halt, Verb},
    keys::{self, Family},
    kv::Key,
    row,
    transaction::Transaction,
};
use async_trait::async_trait;
use bytes::Bytes;
use queue_core::{Cursor, Error, ListFilter, ListQuery, Moment, Page, Result, lifecycle::TrackedJob};
use std::ops::Range;

/// How many entries one page looks at.
const SCAN_MAX: usize = 1000;
/// What follows the queue in the longest key that is listed.
const TAIL_MAX: usize = keys::TIME_BYTES + keys::SEQ_BYTES;

/// One page of metadata.
#[derive(Debug)]
pub(crate) struct List<'a> {
    pub(crate) query: &'a ListQuery,
}

#[async_trait]
impl Verb for List<'_> {
    const NAME: &'static str = "list";
    type Answer = Page;

    async fn attempt(&self, transaction: &mut Transaction<'_>) -> Result<Self::Answer, Halt> {
        let entries = transaction.scan(self.range(transaction)?, SCAN_MAX + 1).await?;
        if self.query.filter == ListFilter::Lapsed {
            let job =
                |(entry, _): &(Key, Bytes)| keys::life(Family::Job, &self.query.queue, keys::seq_of(entry));
            transaction.load(entries.iter().map(job)).await?;
        }
        let Moment { now, clock } = transaction.moment();
        let mut page = Page { jobs: Vec::new(), next: None, now, clock };
        for (looked_at, (key, value)) in entries.iter().enumerate() {
            if looked_at == SCAN_MAX || page.jobs.len() == self.query.limit {
                page.next = Some(self.cursor(key));
                break;
            }
            let job = self.job(transaction, key, value).await?;
            let found = job.filter(|job| self.query.filter.matches(&job.meta, job.token, now));
            page.jobs.extend(found.map(|job| job.meta));
        }
        Ok(page)
    }
}

impl List<'_> {
    /// Lapsed leases stand in the order of their lapse, jobs in that of their lives.
    fn range(&self, transaction: &Transaction<'_>) -> Result<Range<Key>> {
        let queue = &self.query.queue;
        let mut range = match self.query.filter {
            ListFilter::Lapsed => keys::until(Family::Lease, queue, transaction.now()),
            ListFilter::Held { .. } | ListFilter::Match { .. } => keys::all(Family::Job, queue),
        };
        if let Some(cursor) = &self.query.after {
            range.start = self.resume(cursor, range.start)?;
        }
        Ok(range)
    }

    async fn job(
        &self,
        transaction: &mut Transaction<'_>,
        key: &[u8],
        value: &Bytes,
    ) -> Result<Option<TrackedJob>> {
        let found = match self.query.filter {
            ListFilter::Lapsed => transaction.life(&self.query.queue, keys::seq_of(key)).await?,
            ListFilter::Held { .. } | ListFilter::Match { .. } => Some(row::read_job(value)?),
        };
        Ok(found.map(|found| found.job))
    }

    /// The first entry that was not looked at: what follows the queue in its key, as a hexadecimal number.
    fn cursor(&self, key: &[u8]) -> Cursor {
        let len = self.tail_len();
        let mut position = [0; TAIL_MAX];
        position[TAIL_MAX - len..].copy_from_slice(&key[key.len() - len..]);
        Cursor(format!("{:0digits$x}", u128::from_be_bytes(position), digits = 2 * len))
    }

    fn resume(&self, Cursor(text): &Cursor, mut prefix: Key) -> Result<Key> {
        let len = self.tail_len();
        let is_ours = text.len() == 2 * len && text.bytes().all(|digit| digit.is_ascii_hexdigit());
        let position = u128::from_str_radix(text, 16).ok().filter(|_| is_ours);
        let position =
            position.ok_or_else(|| Error::invalid("list", "this cursor is not from this listing"))?;
        prefix.extend_from_slice(&position.to_be_bytes()[TAIL_MAX - len..]);
        Ok(prefix)
    }

    fn tail_len(&self) -> usize {
        match self.query.filter {
            ListFilter::Lapsed => TAIL_MAX,
            ListFilter::Held { .. } | ListFilter::Match { .. } => keys::SEQ_BYTES,
        }
    }
}
