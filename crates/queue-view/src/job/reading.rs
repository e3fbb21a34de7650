//! What a store says of one job.

use super::{JobFact, JobPauses, SlotWait, TimelineEntry, facts::facts, timeline::timeline};
use crate::Standing;
use queue_core::{
    Attempt, Detail, Error, JobBody, JobId, JobMeta, JobRecord, QueueName, Result, Storage, StorageExt,
    Timestamp,
};

/// What a store says of one job: its metadata, its attempts, the pauses and the slot for
/// which it waits, and what it carries, if that was asked for.
#[derive(Clone, Debug)]
pub struct JobReading {
    /// The metadata.
    pub meta: JobMeta,
    /// When the metadata was read, by store time.
    pub now: Timestamp,
    /// The last attempts that failed or stalled, the oldest first; `None` if the store keeps none.
    pub attempts: Option<Vec<Attempt>>,
    /// The pauses for which the job waits.
    pub pauses: JobPauses,
    /// The slot for which it waits, if its partition has none left.
    pub slot_wait: Option<SlotWait>,
    /// What the job carries, if that was read.
    pub body: Option<JobBody>,
}

impl JobReading {
    /// Reads a job without what it carries; `None` if there is no such job.
    ///
    /// # Errors
    /// The errors of the store.
    pub async fn read(store: &dyn Storage, queue: &QueueName, id: &JobId) -> Result<Option<Self>> {
        let (meta, attempts, now) = if store.capabilities().attempts {
            let found = store.attempts_of(queue, id).await?;
            let Some(job) = found.value else { return Ok(None) };
            (job.meta, Some(job.attempts), found.now)
        } else {
            let found = store.get(queue, std::slice::from_ref(id), Detail::Meta).await?;
            let Some(record) = found.value.into_iter().flatten().next() else { return Ok(None) };
            (record.meta, None, found.now)
        };
        let pauses = JobPauses::read(store, &meta).await?;
        let slot_wait = SlotWait::read(store, &meta, now).await?;
        Ok(Some(Self { meta, now, attempts, pauses, slot_wait, body: None }))
    }

    /// Reads a job and what it carries; `None` if there is no such job.
    ///
    /// # Errors
    /// The errors of the store, and `Corrupt` for a record without a body.
    pub async fn read_whole(store: &dyn Storage, queue: &QueueName, id: &JobId) -> Result<Option<Self>> {
        let found = store.get_whole(queue, std::slice::from_ref(id)).await?;
        let Some(JobRecord { meta, body }) = found.value.into_iter().flatten().next() else {
            return Ok(None);
        };
        let body = body.ok_or_else(|| Error::without_body("get"))?;
        let attempts = if store.capabilities().attempts {
            let found = store.attempts_of(queue, id).await?.value;
            // A life that took the id in between has attempts of its own.
            let own = found.filter(|found| found.meta.seq == meta.seq);
            Some(own.map(|found| found.attempts).unwrap_or_default())
        } else {
            None
        };
        let pauses = JobPauses::read(store, &meta).await?;
        let slot_wait = SlotWait::read(store, &meta, found.now).await?;
        Ok(Some(Self { meta, now: found.now, attempts, pauses, slot_wait, body: Some(body) }))
    }

    /// What people want to know of the job, besides its id, its queue, its state and its error.
    pub fn facts(&self) -> Vec<JobFact> {
        facts(self)
    }

    /// The steps of its life that the store knows, the oldest first, and what comes next.
    pub fn timeline(&self) -> Vec<TimelineEntry> {
        timeline(self)
    }

    /// The standing that says most about the job.
    pub fn standing(&self) -> Standing {
        Standing::of(&self.meta, self.now)
    }
}
