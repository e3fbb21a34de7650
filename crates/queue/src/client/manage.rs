//! Reads and changes single jobs, and pauses, counts and prunes a queue.

use crate::{Change, Decode, IntoJobId, Keep, Queue, Status, client::retention};
use queue_core::{
    Changed, ContentType, Counts, Detail, JobAttempts, JobRecord, Payload, Prune, PruneRequest, Result,
    State, StorageExt,
    lifecycle::{Event, OnProcessing},
};
use queue_serde::{CodecContext, Role};

/// The most records that one call of a prune removes.
const PRUNE_MAX: usize = 500;

impl<P, R> Queue<P, R> {
    /// The status of a job; `None` if there is no such job.
    ///
    /// # Errors
    /// `Invalid` for text that is no valid id.
    pub async fn status(&self, id: impl IntoJobId) -> Result<Option<Status>> {
        let id = id.into_job_id()?;
        let found = self.shared.storage.get(&self.shared.name, &[id], Detail::Meta).await?;
        let record = found.value.into_iter().next().flatten();
        Ok(record.map(|record| Status { meta: record.meta, now: found.now }))
    }

    /// The progress that the handler of a job last reported, decoded with the codec of this queue;
    /// `None` if it reported nothing, or if there is no such job; [`status`](Self::status)
    /// distinguishes the two. A worker stores the latest report about once a second.
    ///
    /// # Errors
    /// `Invalid` if the report cannot be decoded as `T`, and for text that is no valid id.
    pub async fn progress<T: Decode>(&self, id: impl IntoJobId) -> Result<Option<T>> {
        let Some(Status { mut meta, .. }) = self.status(id).await? else { return Ok(None) };
        let Some(reported) = meta.progress.take() else { return Ok(None) };
        let report = Payload::new(*reported, self.shared.codec.content_type());
        Ok(Some(self.shared.read(&report, &CodecContext::of(&meta, Role::Progress))?))
    }

    /// The payload of a job in any state; `None` if there is no such job.
    ///
    #[cfg_attr(all(feature = "memory", feature = "json"), doc = "```")]
    #[cfg_attr(not(all(feature = "memory", feature = "json")), doc = "```ignore")]
    /// use queue::{ErrorKind, prelude::*};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let storage = open("memory:").await?;
    /// let sums: Queue<(u32, u32)> = Queue::new(storage.clone(), "sums")?;
    /// sums.enqueue("a", (1, 2)).await?;
    /// assert_eq!(sums.payload("a").await?, Some((1, 2)));
    /// assert_eq!(sums.payload("b").await?, None);
    ///
    /// let texts: Queue<String> = Queue::new(storage, "sums")?;
    /// assert_eq!(texts.payload("a").await.unwrap_err().kind(), ErrorKind::Invalid);
    /// assert_eq!(&texts.payload_bytes("a").await?.expect("it is there").bytes[..], b"[1,2]");
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// `Invalid` if the payload cannot be decoded as `P`, with the
    /// [`CodecError`](crate::CodecError) as its source, for a job of [another
    /// kind](crate::OtherKind), and for text that is not a valid id.
    /// [`payload_bytes`](Self::payload_bytes) reads a payload of any type.
    pub async fn payload(&self, id: impl IntoJobId) -> Result<Option<P>>
    where
        P: Decode,
    {
        let Some(JobRecord { meta, body: Some(body) }) = self.whole(id).await? else { return Ok(None) };
        self.check_kind("payload", &meta)?;
        Ok(Some(self.shared.read(&body.payload, &CodecContext::of(&meta, Role::Payload))?))
    }

    /// The payload of a job as it is stored, with its content type, without decoding.
    ///
    /// # Errors
    /// `Invalid` for text that is no valid id.
    pub async fn payload_bytes(&self, id: impl IntoJobId) -> Result<Option<Payload>> {
        let record = self.whole(id).await?;
        Ok(record.and_then(|record| record.body).map(|body| body.payload))
    }

    /// The result of a Completed job; `None` if the job is not Completed, or if there is no such
    /// job; [`status`](Self::status) distinguishes the two.
    ///
    /// # Errors
    /// `Invalid` if the result cannot be decoded as `R`, and for a job of
    /// [another kind](crate::OtherKind).
    pub async fn result(&self, id: impl IntoJobId) -> Result<Option<R>>
    where
        R: Decode,
    {
        let Some(record) = self.whole(id).await? else { return Ok(None) };
        self.check_kind("result", &record.meta)?;
        if record.meta.state != State::Completed {
            return Ok(None);
        }
        let context = CodecContext::of(&record.meta, Role::Result);
        record.result().map(|result| self.shared.read(result, &context)).transpose()
    }

    /// A job with the attempts that were charged to it: its last ten failures and stalls, oldest
    /// first, each with its worker, its times and its error. A job that completed at its first
    /// attempt has none, and a redrive keeps them. `None` if there is no such job.
    ///
    /// # Errors
    /// `Unsupported` if the store keeps no attempts; see its capabilities. `Invalid` for text that
    /// is no valid id.
    pub async fn attempts(&self, id: impl IntoJobId) -> Result<Option<JobAttempts>> {
        let id = id.into_job_id()?;
        Ok(self.shared.storage.attempts_of(&self.shared.name, &id).await?.value)
    }

    /// Cancels a waiting job. A running job is left alone, and the answer is
    /// [`Change::NotAllowed`], as for a Completed or Failed job. For a job that is already
    /// Cancelled the answer is [`Change::Done`].
    ///
    /// # Errors
    /// As [`cancel_with`](Self::cancel_with).
    pub async fn cancel(&self, id: impl IntoJobId) -> Result<Change> {
        self.cancel_with(id, OnProcessing::Leave).await
    }

    /// Cancels a job, and says what happens if it runs: with [`OnProcessing::Request`] its holder
    /// learns of it with the next heartbeat, and any outcome except completion becomes Cancelled.
    ///
    /// # Errors
    /// `Conflict` if the record kept changing; try again. `Invalid` for a job of the library, such
    /// as a [schedule](queue_core::LibraryJob), as for every change of a job by its id.
    pub async fn cancel_with(&self, id: impl IntoJobId, processing: OnProcessing) -> Result<Change> {
        Change::of_cancel(&self.change(id, Event::Cancel { processing }).await?)
    }

    /// Keeps a finished job for another time, counted from now.
    ///
    /// # Errors
    /// `Invalid` for a time of zero or over 100 years. `Conflict` if the record kept changing.
    pub async fn set_retention(&self, id: impl IntoJobId, keep: impl Into<Keep>) -> Result<Change> {
        let retention = retention(keep.into())?;
        Change::of(&self.change(id, Event::SetRetention(retention)).await?)
    }

    /// Runs a Failed or Cancelled job again, with fresh budgets, in the same life. The job does not
    /// expire any more.
    ///
    /// # Errors
    /// `Conflict` if the record kept moving.
    pub async fn redrive(&self, id: impl IntoJobId) -> Result<Change> {
        self.redrive_with(id, None).await
    }

    /// The same for a job that was enqueued with a wrong content type, so that no handler could
    /// decode its payload. The bytes of the payload stay as they are, and get this content type.
    /// Bytes that a codec bound to their job stay bound to it, so such a codec reads them as
    /// before.
    ///
    /// # Errors
    /// As [`redrive`](Self::redrive).
    pub async fn redrive_as(&self, id: impl IntoJobId, content_type: ContentType) -> Result<Change> {
        self.redrive_with(id, Some(content_type)).await
    }

    async fn redrive_with(&self, id: impl IntoJobId, content_type: Option<ContentType>) -> Result<Change> {
        Change::of(&self.change(id, Event::Redrive { content_type }).await?)
    }

    /// Makes a waiting job due now.
    ///
    /// # Errors
    /// `Conflict` if the record kept moving.
    pub async fn promote(&self, id: impl IntoJobId) -> Result<Change> {
        Change::of(&self.change(id, Event::Promote).await?)
    }

    /// Removes a job that does not run, with its result, so that its id is free.
    ///
    /// # Errors
    /// `Conflict` if the record kept moving.
    pub async fn delete(&self, id: impl IntoJobId) -> Result<Change> {
        Change::of(&self.change(id, Event::Delete).await?)
    }

    /// How many jobs the queue holds, by state.
    pub async fn counts(&self) -> Result<Counts> {
        self.shared.storage.counts(&self.shared.name).await
    }

    /// Whether the queue is paused. A queue that was never used is not paused.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> queue::Result<()> {
    /// # use queue::prelude::*;
    /// let store = open("memory:").await?;
    /// let emails: Queue<String> = Queue::new(store, "emails")?;
    /// assert!(!emails.is_paused().await?);
    /// emails.pause().await?;
    /// assert!(emails.is_paused().await?);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// The errors of the store.
    pub async fn is_paused(&self) -> Result<bool> {
        let status = self.shared.storage.status_of(&self.shared.name).await?;
        Ok(status.is_some_and(|status| status.pause.is_on()))
    }

    /// Removes up to `limit` records at once, and answers how many; call it again while the answer
    /// equals the limit. Workers remove records past their purge time by themselves.
    pub async fn prune(&self, what: Prune, limit: usize) -> Result<u64> {
        let queue = self.shared.name.clone();
        self.shared.storage.prune(PruneRequest { queue, what, limit }).await
    }

    /// Removes all records that `what` selects, and answers how many. Workers remove records past
    /// their purge time by themselves.
    ///
    /// # Errors
    /// The error of the first call that fails. Records that were removed before stay removed, also
    /// if the future is dropped.
    pub async fn prune_all(&self, what: Prune) -> Result<u64> {
        let mut removed = 0;
        loop {
            let now = self.prune(what, PRUNE_MAX).await?;
            removed += now;
            if now < PRUNE_MAX as u64 {
                return Ok(removed);
            }
        }
    }

    async fn whole(&self, id: impl IntoJobId) -> Result<Option<JobRecord>> {
        let id = id.into_job_id()?;
        self.shared.storage.get_one(&self.shared.name, &id, Detail::Full).await
    }

    async fn change(&self, id: impl IntoJobId, event: Event) -> Result<Changed> {
        let id = id.into_job_id()?;
        self.shared.storage.change_own(&self.shared.name, &id, event, &self.shared.policy).await
    }
}
