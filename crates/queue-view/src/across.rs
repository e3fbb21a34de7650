//! The jobs of several queues at once.

use crate::{JobFilter, JobListing};
use queue_core::{
    Detail, JobId, JobMeta, QueueName, QueueStatus, Result, Storage, StorageExt, Timestamp, Walk,
};
use std::cmp::Reverse;

/// The most queues whose jobs are read at once.
pub const QUEUES_READ_MAX: usize = 100;

/// The queues of a reading of several: those that are wanted, the first [`QUEUES_READ_MAX`].
#[derive(Clone, Debug)]
pub struct QueuesToRead<'a> {
    /// Their names.
    pub names: Vec<&'a QueueName>,
    /// How many more are wanted.
    pub left_out: usize,
    /// When the queues were counted last, by store time.
    pub now: Timestamp,
}

impl<'a> QueuesToRead<'a> {
    /// Those among these queues that are wanted.
    pub fn of(queues: &'a [QueueStatus], is_wanted: impl Fn(&QueueStatus) -> bool) -> Self {
        let wanted = queues.iter().filter(|status| is_wanted(status)).map(|status| &status.name);
        let mut names: Vec<&QueueName> = wanted.collect();
        let left_out = names.len().saturating_sub(QUEUES_READ_MAX);
        names.truncate(QUEUES_READ_MAX);
        let now = queues.iter().map(|status| status.counts.now).max().unwrap_or_default();
        Self { names, left_out, now }
    }
}

/// The jobs of several queues that a filter means, as far as they were read.
#[derive(Clone, Debug, Default)]
pub struct JobsAcross {
    /// The jobs, in the order of the listing of one queue.
    pub jobs: Vec<JobMeta>,
    /// How many queues were read: those that may have a job that is meant.
    pub queues: usize,
    /// How many more queues there were no reads for.
    pub left_out: usize,
    /// There are more jobs, or jobs that were not looked at.
    pub has_more: bool,
    /// When they were read, by store time.
    pub now: Timestamp,
}

impl JobFilter {
    /// The first jobs of each of these queues, as [`newest_first`](Self::newest_first) lists them,
    /// and the job whose id is the whole `id_prefix`, wherever it is in its queue. At most
    /// [`QUEUES_READ_MAX`] queues are read, with at most two calls each: those whose counts say
    /// that a job may be meant.
    ///
    /// # Errors
    /// `Invalid` for a filter that no job can match, and the errors of the store.
    pub async fn newest_across(
        &self,
        store: &dyn Storage,
        queues: &[QueueStatus],
        limit: usize,
    ) -> Result<JobsAcross> {
        let QueuesToRead { names, left_out, now } = QueuesToRead::of(queues, |status| self.may_match(status));
        let mut found = JobsAcross { left_out, now, ..JobsAcross::default() };
        let mut order = None;
        for name in names {
            let listing = self.newest_first(name.clone())?;
            self.read_one(store, name, &listing, limit, &mut found).await?;
            order.get_or_insert(listing.walk().clone());
        }
        if let Some(walk) = order {
            found.jobs.sort_by_key(|job| place(&walk, job));
        }
        found.has_more |= found.jobs.len() > limit;
        found.jobs.truncate(limit);
        Ok(found)
    }

    async fn read_one(
        &self,
        store: &dyn Storage,
        queue: &QueueName,
        listing: &JobListing,
        limit: usize,
        found: &mut JobsAcross,
    ) -> Result<()> {
        let page = listing.page(store, None, limit).await?;
        found.queues += 1;
        found.now = page.now;
        found.has_more |= page.next.is_some();
        let named = match self.id_prefix.as_deref().map(JobId::new) {
            Some(Ok(id)) => store.get_one(queue, &id, Detail::Meta).await?,
            _ => None,
        };
        let named = named.map(|record| record.meta).filter(|job| self.matches(job, page.now));
        let is_listed = named.as_ref().is_some_and(|named| page.jobs.iter().any(|job| job.id == named.id));
        found.jobs.extend(page.jobs);
        found.jobs.extend(named.filter(|_| !is_listed));
        Ok(())
    }

    /// Whether the counts of a queue leave room for a job that is meant.
    fn may_match(&self, queue: &QueueStatus) -> bool {
        match self.states.as_slice() {
            [] => queue.counts.total() > 0,
            states => states.iter().any(|standing| standing.counted(&queue.counts) != Some(0)),
        }
    }
}

/// Where a job comes in the listing of several queues.
fn place(walk: &Walk, job: &JobMeta) -> (Timestamp, Reverse<Timestamp>) {
    let first = Timestamp::default();
    match walk {
        Walk::Due | Walk::Scheduled | Walk::Gated | Walk::Lapsed => (job.run_at, Reverse(first)),
        walk if walk.is_by_time() => (first, Reverse(job.entered_at())),
        _ => (first, Reverse(job.created_at)),
    }
}
