//! Finished copies, which the target remembers.
//!
//! A copy that is run again once its target has worked would bring back the jobs that were done and
//! removed there. So the source gets an identity, and the target a record of each copy that came
//! to its end. Both are jobs of the library in the queue [`COPIES_QUEUE`], Cancelled and kept for
//! ever. That queue itself is never copied.

use super::StoreCopy;
use queue_core::{
    ContentType, Detail, Error, ErrorKind, IdSource, JobId, Kind, NewJob, Payload, QueueName, Result,
    Retention, Span, Storage, StorageExt, TimeOrderedIds, Timestamp,
    lifecycle::{Event, OnProcessing, Policy},
};
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// The queue of the identities and of the records of finished copies.
pub(super) const COPIES_QUEUE: &str = "queue.copies";
/// The kind of their jobs.
const COPY_KIND: &str = "queue.copied";
/// The id of the job whose payload is the identity of the store.
const IDENTITY: &str = "identity";
/// The most records of one call.
const RECORDS_MAX: usize = 100;

/// A copy that came to its end before, and is in the target's memory.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FinishedCopy {
    /// The queue that was copied from this source.
    pub queue: QueueName,
    /// When the copy came to its end, by the target's clock.
    pub finished_at: Timestamp,
}

impl StoreCopy {
    /// The queues of this copy that were copied from the same source into the same target before,
    /// by copies that came to their end. [`run`](Self::run) refuses them, unless the copy is asked
    /// for [again](Self::again). Writes nothing.
    ///
    /// # Errors
    /// The errors of both stores.
    pub async fn finished_before(&self) -> Result<Vec<FinishedCopy>> {
        self.finished_among(&self.chosen().await?).await
    }

    pub(super) async fn finished_among(&self, queues: &[QueueName]) -> Result<Vec<FinishedCopy>> {
        let Some(source) = identity(&*self.from).await? else { return Ok(Vec::new()) };
        let mut finished = Vec::new();
        for queues in queues.chunks(RECORDS_MAX) {
            let ids: Vec<JobId> = queues.iter().map(|queue| record_id(&source, queue)).collect();
            let found = self.to.get(&copies(), &ids, Detail::Meta).await?.value;
            for (queue, record) in queues.iter().zip(found) {
                let before = |at| FinishedCopy { queue: queue.clone(), finished_at: at };
                finished.extend(record.map(|record| before(record.meta.created_at)));
            }
        }
        Ok(finished)
    }

    pub(super) async fn refuse_finished(&self, queues: &[QueueName]) -> Result<()> {
        if self.is_again || self.is_dry {
            return Ok(());
        }
        let Some(FinishedCopy { queue, .. }) = self.finished_among(queues).await?.into_iter().next() else {
            return Ok(());
        };
        let message = format!(
            "a copy of the queue {queue:?} from this source into this target is finished; running it again \
             brings back jobs that were done and removed in the target; ask for it again to do so"
        );
        Err(Error::invalid("copy", message))
    }

    /// Remembers in the target that these queues are copied.
    pub(super) async fn remember(&self, queues: &[QueueName]) -> Result<()> {
        let source = own_identity(&*self.from).await?;
        for queues in queues.chunks(RECORDS_MAX) {
            let records = queues.iter().map(|queue| kept(record_id(&source, queue), queue.as_str()));
            keep(&*self.to, records.collect()).await?;
        }
        Ok(())
    }
}

/// Refuses the queue of the library's own records, which means another store in a target.
pub(super) fn refuse_own(queue: &QueueName) -> Result<()> {
    if queue.as_str() == COPIES_QUEUE {
        let message = format!("the queue {queue:?} is the memory of copies, and is not copied itself");
        return Err(Error::invalid("copy", message));
    }
    Ok(())
}

fn copies() -> QueueName {
    QueueName::from_static(COPIES_QUEUE)
}

/// The identity of a store; `None` as long as no copy of it came to its end.
async fn identity(store: &dyn Storage) -> Result<Option<String>> {
    let found = store.get_one(&copies(), &JobId::from_static(IDENTITY), Detail::Full).await?;
    let Some(record) = found else { return Ok(None) };
    let body = record.body.ok_or_else(|| Error::without_body("copy"))?;
    let text = String::from_utf8(body.payload.bytes.to_vec());
    let text = text.map_err(|_| Error::new(ErrorKind::Corrupt, "copy", "the store's identity is no text"))?;
    Ok(Some(text))
}

/// The identity of a store, which gets one if it has none. Of two that are given at once the first
/// one stays.
async fn own_identity(store: &dyn Storage) -> Result<String> {
    if let Some(identity) = identity(store).await? {
        return Ok(identity);
    }
    let new = TimeOrderedIds::default().next_id().to_string();
    keep(store, vec![kept(JobId::from_static(IDENTITY), &new)]).await?;
    let lost =
        || Error::new(ErrorKind::Conflict, "copy", "the source does not keep its identity; run it again");
    identity(store).await?.ok_or_else(lost)
}

/// Where the target keeps that a queue of a source was copied: both names can be too long for one
/// id.
fn record_id(source: &str, queue: &QueueName) -> JobId {
    let mut hash = Sha256::new();
    for part in [source, queue.as_str()] {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    let digest = hash.finalize().iter().fold(String::new(), |mut digest, byte| {
        write!(digest, "{byte:02x}").expect("text can be written to");
        digest
    });
    JobId::new(&digest).expect("64 hexadecimal digits are an id")
}

/// A job that no worker gets.
fn kept(id: JobId, payload: &str) -> NewJob {
    let payload = Payload::new(payload.to_owned(), ContentType::from_static("text/plain"));
    let job = NewJob::new(id, Kind::from_static(COPY_KIND), payload);
    job.with_delay(Span::MAX).with_retention(Retention::Forever)
}

/// Stores records that are not there yet, and ends them, so that they do not count as waiting.
async fn keep(store: &dyn Storage, records: Vec<NewJob>) -> Result<()> {
    let ids: Vec<JobId> = records.iter().map(|job| job.id.clone()).collect();
    store.enqueue(&copies(), vec![records]).await?;
    for id in ids {
        let event = Event::Cancel { processing: OnProcessing::Leave };
        store.change(&copies(), &id, event, &Policy::default()).await?;
    }
    Ok(())
}
