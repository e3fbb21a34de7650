//! Waiting for the outcome of a job.
//!
//! Only the stored record decides the outcome. A hint says when to read it sooner, or brings the
//! result that the read would find. The wait takes that result if it is of the life that it is for,
//! and of a later revision than it has seen. Every wait also reads at jittered intervals, so that
//! losing all hints costs time and nothing else. No task runs on behalf of a wait: dropping its
//! future ends it.

mod awaited_life;
mod error;
mod life_status;
mod options;
mod outcome;
mod waiter;

pub use error::WaitError;
pub use options::WaitOptions;
pub use outcome::Outcome;

use crate::{Decode, Encode, Id, IntoJobId, JobOptions, Queue, client::SendSpan};
use life_status::StoredResult;
use queue_core::{Enqueued, JobId, NewJob, Result};
use queue_serde::Role;
use tokio::time::{Instant, timeout};
use waiter::Waiter;

impl<P, R: Decode> Queue<P, R> {
    /// Waits until a job is finished, and answers its outcome. A [`Duration`](std::time::Duration)
    /// converts into options.
    ///
    /// The wait is about the life of the id that it sees first, and ignores a job that is enqueued
    /// under the same id later. For an id without a job it answers [`Outcome::Unknown`] at once. It
    /// answers at the latest one second after the deadline, also if the store does not answer.
    ///
    /// # Errors
    /// `Invalid` for a bad id, bad options, a job of [another kind](crate::OtherKind), or a result
    /// that cannot be decoded as `R`. A temporary error of the store is returned only if it lasts
    /// until the deadline; any other error ends the wait.
    ///
    /// A dropped future leaves only a mark on the job that a caller waited for it, so that its
    /// record is kept for at least 60 seconds once it is finished.
    pub async fn wait(&self, id: impl IntoJobId, options: impl Into<WaitOptions>) -> Result<Outcome<R>> {
        let id = id.into_job_id()?;
        let kind = self.kind_of_its_jobs().cloned();
        let waiter = Waiter::start(&self.shared, id.clone(), kind, options.into()).await?;
        self.typed(&id, waiter.outcome().await?)
    }

    fn typed(&self, id: &JobId, outcome: Outcome<StoredResult>) -> Result<Outcome<R>> {
        outcome.try_map(|StoredResult { kind, result }| {
            self.shared.read(&result, &self.shared.context(&kind, id, Role::Result))
        })
    }
}

impl<P: Encode, R: Decode> Queue<P, R> {
    /// Stores a job and waits for its result: a call that survives the caller and the worker.
    ///
    /// If the id is present, the call waits for the job that has it, and returns a result that is
    /// there already at once.
    ///
    /// # Errors
    /// Every outcome except a result, as a typed error; and [`WaitError::Store`] with the errors of
    /// [`enqueue`](Self::enqueue) and [`wait`](Self::wait). The deadline covers the enqueue too, so
    /// after [`WaitError::TimedOut`] the job may be stored: wait again under the same id.
    ///
    /// A dropped future leaves the job, which goes on, or nothing if the enqueue had not happened
    /// yet.
    pub async fn enqueue_and_wait(
        &self,
        id: impl Into<Id>,
        payload: P,
        options: impl Into<WaitOptions>,
    ) -> Result<R, WaitError> {
        let span = SendSpan::begin(&self.shared.name);
        let job = span.make(|| self.job(id.into(), &payload, &JobOptions::new()))?;
        self.store_and_wait(job, options.into(), span).await
    }

    /// Like [`enqueue_and_wait`](Self::enqueue_and_wait), with options for the job, which take
    /// precedence over the options of the handle.
    ///
    /// # Errors
    /// The same, and `Invalid` for an invalid option.
    pub async fn enqueue_and_wait_with(
        &self,
        id: impl Into<Id>,
        payload: P,
        job: JobOptions,
        options: impl Into<WaitOptions>,
    ) -> Result<R, WaitError> {
        let begun = Instant::now();
        let mut options = options.into();
        let Ok(job) = timeout(options.longest(), self.timed(job)).await else {
            return Err(WaitError::TimedOut { state: None, error: None });
        };
        options = options.deadline(options.longest().saturating_sub(begun.elapsed()));
        let span = SendSpan::begin(&self.shared.name);
        let job = job?;
        let job = span.make(|| self.job(id.into(), &payload, &job))?;
        self.store_and_wait(job, options, span).await
    }

    async fn store_and_wait(
        &self,
        job: NewJob,
        options: WaitOptions,
        span: SendSpan,
    ) -> Result<R, WaitError> {
        let (id, kind) = (job.id.clone(), job.kind.clone());
        let asked = self.is_of_a_kind().then(|| kind.clone());
        let is_any_kind = asked.is_none();
        let mut waiter = Waiter::start(&self.shared, id.clone(), asked, options).await?;
        let stored = span.around(waiter.enqueue(job.awaited()), |span, _stored| span.job(&id)).await?;
        let outcome = match stored {
            None => Outcome::TimedOut { state: None, error: None },
            // The kind of the job that has the id stands in its record only.
            Some(Enqueued::Completed { result: Some(result), .. }) if is_any_kind => {
                Outcome::Completed(StoredResult { kind, result })
            }
            Some(_) => waiter.outcome().await?,
        };
        self.typed(&id, outcome)?.into_result()
    }
}
