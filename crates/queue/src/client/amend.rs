//! Changes a waiting job in place.

use crate::{Change, Encode, IntoJobId, Keep, Queue, client::retention};
use queue_core::{
    Applied, Detail, Error, ErrorKind, JobMeta, LIVES_MAX, LibraryJob, Result, Retention, RetentionPolicy,
    Seq, Span, StorageExt,
    lifecycle::{Amendment, Event, Rejected, decide},
};
use queue_serde::{CodecContext, Role};
use std::time::Duration;

/// New values for a waiting job; see [`Queue::amend`]. What is not set stays as it was.
#[derive(Clone, Debug)]
#[must_use]
pub struct JobAmendment<P> {
    payload: Option<P>,
    priority: Option<i16>,
    delay: Option<Duration>,
    keep_completed: Option<Keep>,
    keep_failed: Option<Keep>,
    revision: Option<u64>,
    life: Option<Seq>,
}

impl<P> Default for JobAmendment<P> {
    fn default() -> Self {
        Self {
            payload: None,
            priority: None,
            delay: None,
            keep_completed: None,
            keep_failed: None,
            revision: None,
            life: None,
        }
    }
}

impl<P> JobAmendment<P> {
    /// Changes nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Replaces the payload.
    pub fn payload(mut self, payload: P) -> Self {
        self.payload = Some(payload);
        self
    }

    /// Replaces the priority; lower is claimed first.
    pub fn priority(mut self, priority: i16) -> Self {
        self.priority = Some(priority);
        self
    }

    /// Makes the job due this long after the change, at most 100 years.
    pub fn delay(mut self, delay: Duration) -> Self {
        self.delay = Some(delay);
        self
    }

    /// Replaces how long the job is kept once it is Completed.
    pub fn keep_completed(mut self, keep: impl Into<Keep>) -> Self {
        self.keep_completed = Some(keep.into());
        self
    }

    /// Replaces how long the job is kept once it is Failed or Cancelled.
    pub fn keep_failed(mut self, keep: impl Into<Keep>) -> Self {
        self.keep_failed = Some(keep.into());
        self
    }

    /// Changes the job only if it is still at this [revision](JobMeta::revision), as a caller saw
    /// it; otherwise the answer is [`Change::Moved`]. Each life of an id counts its revisions from
    /// one, so where producers replace the job, name [the life](Self::of_life) too.
    pub fn at_revision(mut self, revision: u64) -> Self {
        self.revision = Some(revision);
        self
    }

    /// Changes only this life of the id, as a caller saw it in [`JobMeta::seq`]. If the id has
    /// another life by now, the answer is [`Change::Moved`].
    pub fn of_life(mut self, seq: Seq) -> Self {
        self.life = Some(seq);
        self
    }

    /// Whether it is for this life at this revision.
    fn is_for(&self, job: &JobMeta) -> bool {
        self.life.is_none_or(|seq| seq == job.seq)
            && self.revision.is_none_or(|revision| revision == job.revision)
    }
}

impl<P: Encode, R> Queue<P, R> {
    /// Changes a waiting job in place: its payload, its priority, its due time, or how long it is
    /// kept. It keeps its id, its life and what was charged to it. A job that runs or is finished
    /// is left alone, and the answer is [`Change::NotAllowed`].
    ///
    #[cfg_attr(all(feature = "memory", feature = "json"), doc = "```")]
    #[cfg_attr(not(all(feature = "memory", feature = "json")), doc = "```ignore")]
    /// use queue::{JobAmendment, prelude::*};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> queue::Result<()> {
    /// let emails: Queue<String> = Queue::new(open("memory:").await?, "emails")?;
    /// emails.enqueue("a", "hello".to_owned()).await?;
    /// let seen = emails.status("a").await?.expect("it waits").meta.revision;
    ///
    /// let amendment = JobAmendment::new().payload("hello, ada".to_owned()).priority(-5);
    /// assert_eq!(emails.amend("a", amendment.clone().at_revision(seen)).await?, Change::Done);
    /// assert_eq!(emails.payload("a").await?.as_deref(), Some("hello, ada"));
    /// assert_eq!(emails.amend("a", amendment.at_revision(seen)).await?, Change::Moved);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// `Invalid` for a time that is out of range and for a payload that cannot be encoded or is
    /// over the store's limit; `Conflict` if the record kept changing. A dropped future leaves the
    /// job changed or not.
    pub async fn amend(&self, id: impl IntoJobId, mut amendment: JobAmendment<P>) -> Result<Change> {
        let id = id.into_job_id()?;
        for _ in 0..LIVES_MAX {
            let found = self.shared.storage.get_one(&self.shared.name, &id, Detail::Meta).await?;
            let Some(seen) = found.map(|record| record.meta) else { return Ok(Change::Missing) };
            LibraryJob::refuse(&seen)?;
            if !amendment.is_for(&seen) {
                return Ok(Change::Moved);
            }
            // A revision is one of the life that has it now, and not of the next one.
            amendment.life = amendment.life.or(amendment.revision.map(|_| seen.seq));
            let event = Event::Amend(self.amendment(&amendment, &seen)?);
            if let Some(change) = self.change_seen(&seen, event).await? {
                return Ok(change);
            }
        }
        let message = "the job kept changing, and this changed nothing; try again";
        Err(Error::new(ErrorKind::Conflict, "amend", message))
    }

    /// Changes the job as it was read; `None` if it has changed since.
    async fn change_seen(&self, seen: &JobMeta, event: Event) -> Result<Option<Change>> {
        let transition = match decide(seen, event, &self.shared.policy) {
            Ok(transition) => transition,
            Err(Rejected::Already(_)) => return Ok(Some(Change::Done)),
            Err(Rejected::NotAllowed(state)) => return Ok(Some(Change::NotAllowed(state))),
        };
        let applied = self.shared.storage.apply(vec![transition]).await?.value;
        Ok(applied.iter().any(Applied::is_done).then_some(Change::Done))
    }

    /// The amendment as a store takes it, for the job as it was read: a codec may bind the payload
    /// to the job.
    fn amendment(&self, given: &JobAmendment<P>, job: &JobMeta) -> Result<Amendment> {
        let context = CodecContext::of(job, Role::Payload);
        let encode = |payload: &P| payload.encode(&self.shared.codec, &context);
        let kept = |keep: Option<Keep>, present: Retention| match keep {
            Some(keep) => retention(keep),
            None => Ok(present),
        };
        let policy = RetentionPolicy {
            completed: kept(given.keep_completed, job.terms.retention.completed)?,
            failed: kept(given.keep_failed, job.terms.retention.failed)?,
        };
        Ok(Amendment {
            payload: given.payload.as_ref().map(encode).transpose()?,
            priority: given.priority,
            delay: given.delay.map(|delay| Span::new("a delay", delay)).transpose()?,
            retention: Some(policy).filter(|policy| *policy != job.terms.retention),
        })
    }
}
