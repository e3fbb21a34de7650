//! The batch of the job that a handler runs, for adding further members from inside.

use super::{BatchLife, BatchName};
use crate::Context;
use queue_core::{EndSignal, Error, InvalidName, JobId, JobKind, Kind, NewJob, Result};
use queue_serde::{CodecContext, Encode, Role};

/// The batch of a handler's job; see [`Context::batch`].
#[derive(Debug)]
pub struct ContextBatch<'c, S = ()> {
    context: &'c Context<S>,
    batch: BatchOfMember,
}

/// The batch that a job is a member of, by the end signal that the job owes it. What it admits
/// joins the batch, also a sealed one, if it is enqueued in the step that ends the job.
#[derive(Clone, Debug)]
pub struct BatchOfMember {
    life: BatchLife,
    signal: EndSignal,
}

/// Why a handler can add nothing to a batch.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidMember {
    /// The job of the handler is a member of no batch, as far as its worker knows.
    #[error("the job {id:?} is a member of no batch")]
    NoMember {
        /// The job.
        id: JobId,
    },
    /// The id, together with the name of the batch, is none.
    #[error("the id of a member, with the name of its batch before it: {0}")]
    Id(#[from] InvalidName),
    /// The job has no room for the tag of its batch.
    #[error("the job {id:?} has as many tags as it may, and a member needs one for its batch")]
    Tags {
        /// The job.
        id: JobId,
    },
}

impl From<InvalidMember> for Error {
    fn from(invalid: InvalidMember) -> Self {
        Self::invalid("batch", invalid.to_string()).with_source(invalid)
    }
}

impl BatchLife {
    /// Makes a job a member: with the id as it is or was made by [`member`](Self::member), the tag
    /// of the batch, and the signal to its coordinator.
    ///
    /// # Errors
    /// [`InvalidMember::Tags`].
    pub fn admit(&self, job: NewJob, urgent: bool) -> Result<NewJob, InvalidMember> {
        self.admitted(job, self.signal(urgent))
    }

    /// Makes a job a member whose id is the part that its producer chose.
    ///
    /// # Errors
    /// [`InvalidMember::Id`] and [`InvalidMember::Tags`].
    pub fn join(&self, job: NewJob, urgent: bool) -> Result<NewJob, InvalidMember> {
        self.admit(NewJob { id: self.member(job.id.as_str())?, ..job }, urgent)
    }

    fn admitted(&self, mut job: NewJob, signal: EndSignal) -> Result<NewJob, InvalidMember> {
        job.tags = job.tags.with(self.tag()).map_err(|_| InvalidMember::Tags { id: job.id.clone() })?;
        job.end_signals.retain(|other| other.to != signal.to);
        job.end_signals.push(signal);
        Ok(job)
    }
}

impl BatchOfMember {
    /// The batch that a job with these end signals is a member of; `None` for a member of none.
    pub fn of(signals: &[EndSignal]) -> Option<Self> {
        let (life, signal) =
            signals.iter().find_map(|signal| Some((BatchLife::of_signal(signal)?, signal)))?;
        // A child that did not raise would be counted in the place of another member.
        Some(Self { life, signal: EndSignal { raises: true, tolerant: false, ..signal.clone() } })
    }

    /// The life of the batch.
    pub const fn life(&self) -> &BatchLife {
        &self.life
    }

    /// Makes a job a further member, with the id as it is.
    ///
    /// # Errors
    /// [`InvalidMember::Tags`].
    pub fn admit(&self, job: NewJob) -> Result<NewJob, InvalidMember> {
        self.life.admitted(job, self.signal.clone())
    }

    /// Makes a job a further member whose id is the part behind the name of the batch.
    ///
    /// # Errors
    /// [`InvalidMember::Id`] and [`InvalidMember::Tags`].
    pub fn join(&self, job: NewJob) -> Result<NewJob, InvalidMember> {
        self.admit(NewJob { id: self.life.member(job.id.as_str())?, ..job })
    }
}

impl<'c, S> ContextBatch<'c, S> {
    pub(crate) fn of(context: &'c Context<S>, signals: &[EndSignal]) -> Result<Self> {
        let batch = BatchOfMember::of(signals);
        let batch = batch.ok_or_else(|| InvalidMember::NoMember { id: context.meta().id.clone() })?;
        Ok(Self { context, batch })
    }

    /// The name of the batch.
    pub const fn name(&self) -> &BatchName {
        self.batch.life.name()
    }

    /// Adds a job of the kind of this one, with default options, under an id that is unique in the
    /// batch. The payload may have any type: nothing checks that the handler of this kind reads it,
    /// which gets it as it was encoded here. [`add_of`](Self::add_of) checks the type. The job is
    /// enqueued in the very step that completes this one, by [`Context::then`], so the batch cannot
    /// end between the two, and it is not enqueued at all unless this job completes. A sealed batch
    /// takes it too. If the id is taken in the batch, the batch has that member already, and
    /// nothing is added. The answer is the id of the member.
    ///
    /// # Errors
    /// `Invalid` for an id that is empty, or too long with the name of the batch before it, and for
    /// a payload that cannot be encoded.
    pub fn add<P: Encode>(&self, id: impl AsRef<str>, payload: &P) -> Result<JobId> {
        self.add_kind(self.context.meta().kind.clone(), id.as_ref(), payload)
    }

    /// Adds a job of another kind, as [`add`](Self::add) does, with the payload that this kind has.
    ///
    /// # Errors
    /// The errors of [`add`](Self::add).
    pub fn add_of<P: Encode, R>(
        &self,
        kind: JobKind<P, R>,
        id: impl AsRef<str>,
        payload: &P,
    ) -> Result<JobId> {
        self.add_kind(kind.into(), id.as_ref(), payload)
    }

    /// Adds a job with options of its own, as [`add`](Self::add) does. Make the job with
    /// `Queue::new_job` of a handle on the queue of this job; its id is the part behind the name of
    /// the batch. A codec that binds bytes to the id of their job cannot be used for it.
    ///
    /// # Errors
    /// The errors of [`add`](Self::add), and `Invalid` for a job that has no room for one tag more.
    pub fn add_job(&self, job: NewJob) -> Result<JobId> {
        let member = self.batch.join(job)?;
        let id = member.id.clone();
        self.context.then(member);
        Ok(id)
    }

    fn add_kind<P: Encode>(&self, kind: Kind, id: &str, payload: &P) -> Result<JobId> {
        let id = self.batch.life.member(id).map_err(InvalidMember::Id)?;
        let queue = &self.context.meta().queue;
        let place = CodecContext::new(queue, &kind, &id, Role::Payload);
        let payload = payload.encode(self.context.codec(), &place)?;
        let job = NewJob::new(id.clone(), kind, payload);
        self.context.then(self.batch.admit(job)?);
        Ok(id)
    }
}
