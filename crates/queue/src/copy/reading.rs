//! Reading whole records, some at a time.

use super::{fences::PROBE, held};
use queue_core::{
    Attempt, Cursor, Detail, Error, JobAttempts, JobId, JobMeta, JobRecord, ListQuery, QueueName, Result,
    State, Storage, Timestamp, WholeJob,
};
use std::collections::VecDeque;

/// Jobs of one listing.
const PAGE: usize = 1_000;
/// The most jobs that are read with their bodies at once.
const BODIES_MAX: usize = 500;

/// Reads every job of a queue in the order of their numbers.
#[derive(Debug)]
pub(super) struct JobReader<'s> {
    store: &'s dyn Storage,
    queue: &'s QueueName,
    gives_back: bool,
    held: u64,
    listed: VecDeque<JobId>,
    /// Where the next page begins; `None` at the beginning.
    after: Option<Cursor>,
    /// Whether the last page was read.
    is_at_end: bool,
}

/// Whether the job is the copy's own.
pub(super) fn is_probe(job: &JobMeta) -> bool {
    job.kind.as_str() == PROBE
}

impl<'s> JobReader<'s> {
    pub(super) fn new(store: &'s dyn Storage, queue: &'s QueueName, gives_back: bool) -> Self {
        Self { store, queue, gives_back, held: 0, listed: VecDeque::new(), after: None, is_at_end: false }
    }

    /// How many of the jobs were being processed and are given back.
    pub(super) fn held(&self) -> u64 {
        self.held
    }

    /// Some jobs, as many as one answer has room for; `None` at the end. A job that goes meanwhile
    /// is left out, so there may be none.
    pub(super) async fn next(&mut self) -> Result<Option<Vec<WholeJob>>> {
        while self.listed.is_empty() {
            if self.is_at_end {
                return Ok(None);
            }
            let query = ListQuery { after: self.after.take(), ..ListQuery::all(self.queue.clone(), PAGE) };
            let page = self.store.list(query).await?;
            self.is_at_end = page.next.is_none();
            self.after = page.next;
            self.listed.extend(page.jobs.into_iter().filter(|job| !is_probe(job)).map(|job| job.id));
        }
        let asked = self.listed.len().min(BODIES_MAX);
        let ids: Vec<JobId> = self.listed.iter().take(asked).cloned().collect();
        let (found, _) = some_whole(self.store, self.queue, &ids).await?;
        self.listed.drain(..found.len());
        let mut jobs = Vec::with_capacity(found.len());
        for job in found.into_iter().flatten() {
            if !self.gives_back || job.meta.state != State::Processing {
                jobs.push(job);
                continue;
            }
            self.held += 1;
            jobs.extend(held::given_back(job));
        }
        Ok(Some(jobs))
    }
}

/// Reads jobs with everything, all of them in as many calls as they need, and the store's time.
pub(super) async fn all_whole(
    store: &dyn Storage,
    queue: &QueueName,
    ids: &[JobId],
) -> Result<(Vec<Option<WholeJob>>, Timestamp)> {
    let mut all = Vec::with_capacity(ids.len());
    let mut at = Timestamp::default();
    while all.len() < ids.len() {
        let (some, now) = some_whole(store, queue, &ids[all.len()..]).await?;
        all.extend(some);
        at = now;
    }
    Ok((all, at))
}

/// Reads the first of these jobs with everything, as many as one answer has room for, at least one.
async fn some_whole(
    store: &dyn Storage,
    queue: &QueueName,
    ids: &[JobId],
) -> Result<(Vec<Option<WholeJob>>, Timestamp)> {
    let found = store.get(queue, ids, Detail::Full).await?;
    // Records come without their bodies from the first on that there is no room for.
    let is_read = |record: &Option<JobRecord>| record.as_ref().is_none_or(|record| record.body.is_some());
    let read: Vec<_> = found.value.into_iter().take_while(is_read).collect();
    if read.is_empty() && !ids.is_empty() {
        return Err(Error::without_body("copy"));
    }
    let attempts = attempts_of(store, queue, &read).await?;
    Ok((read.into_iter().zip(attempts).map(whole).collect(), found.now))
}

fn whole((record, attempts): (Option<JobRecord>, Vec<Attempt>)) -> Option<WholeJob> {
    let JobRecord { meta, body: Some(body) } = record? else { return None };
    Some(WholeJob { meta, body, attempts })
}

/// The attempts of each of these records, none for those that cannot have any.
async fn attempts_of(
    store: &dyn Storage,
    queue: &QueueName,
    records: &[Option<JobRecord>],
) -> Result<Vec<Vec<Attempt>>> {
    let mut attempts = vec![Vec::new(); records.len()];
    if !store.capabilities().attempts {
        return Ok(attempts);
    }
    let may_have =
        |record: &Option<JobRecord>| record.as_ref().is_some_and(|job| may_have_attempts(&job.meta));
    let places: Vec<usize> = (0..records.len()).filter(|&place| may_have(&records[place])).collect();
    for places in places.chunks(JobAttempts::IDS_MAX) {
        let ids: Vec<JobId> =
            places.iter().filter_map(|&place| Some(records[place].as_ref()?.meta.id.clone())).collect();
        let found = store.attempts(queue, &ids).await?.value;
        for (&place, found) in places.iter().zip(found) {
            attempts[place] = found.map(|found| found.attempts).unwrap_or_default();
        }
    }
    Ok(attempts)
}

/// Only a claim is charged, and the one that completed the job was not. Counters say less, since a
/// redrive clears them and keeps the attempts.
fn may_have_attempts(meta: &JobMeta) -> bool {
    let uncharged = u64::from(meta.state == State::Completed);
    meta.epoch > uncharged
}
