//! Changes a waiting job in place.

use crate::{Change, Encode, IntoJobId, Keep, Queue, client::retention};
use queue_core::{
    Applied, Detail, Error, ErrorKind, JobMeta, RE_DECIDES_MAX, Result, Retention, RetentionPolicy, Span,
    StorageExt,
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
}

impl<P> Default for JobAmendment<P> {
    fn default() -> Self {
        let (keep_completed, keep_failed, revision) = (None, None, None);
        Self { payload: None, priority: None, delay: None, keep_completed, keep_failed, revision }
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
    /// it; otherwise the answer is [`Change::Moved`].
    pub fn at_revision(mut self, revision: u64) -> Self {
        self.revision = Some(revision);
        self
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
    /// over the store's limit; `Unsupported` if the store cannot amend jobs; `Conflict` if the
    /// record kept changing. A dropped future leaves the job changed or not.
    pub async fn amend(&self, id: impl IntoJobId, amendment: JobAmendment<P>) -> Result<Change> {
        let id = id.into_job_id()?;
        if !self.shared.storage.capabilities().amend {
            let message = "this store cannot amend jobs; see its capabilities";
            return Err(Error::new(ErrorKind::Unsupported, "amend", message));
        }
        let found = self.shared.storage.get_one(&self.shared.name, &id, Detail::Meta).await?;
        let Some(mut seen) = found.map(|record| record.meta) else { return Ok(Change::Missing) };
        for _ in 0..RE_DECIDES_MAX {
            if amendment.revision.is_some_and(|revision| revision != seen.revision) {
                return Ok(Change::Moved);
            }
            let event = Event::Amend(self.amendment(&amendment, &seen)?);
            let transition = match decide(&seen, event, &self.shared.policy) {
                Ok(transition) => transition,
                Err(Rejected::Already(_)) => return Ok(Change::Done),
                Err(Rejected::NotAllowed(state)) => return Ok(Change::NotAllowed(state)),
            };
            match self.shared.storage.apply(vec![transition]).await?.value.into_iter().next() {
                Some(Applied::Done(_)) => return Ok(Change::Done),
                Some(Applied::Stale(moved) | Applied::LeaseLost(moved)) => seen = moved,
                Some(Applied::Missing) | None => return Ok(Change::Missing),
            }
        }
        Err(Error::new(ErrorKind::Conflict, "amend", "the record kept moving; read it and decide afresh"))
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
            completed: kept(given.keep_completed, job.retention.completed)?,
            failed: kept(given.keep_failed, job.retention.failed)?,
        };
        Ok(Amendment {
            payload: given.payload.as_ref().map(encode).transpose()?,
            priority: given.priority,
            delay: given.delay.map(|delay| Span::new("a delay", delay)).transpose()?,
            retention: Some(policy).filter(|policy| *policy != job.retention),
        })
    }
}
