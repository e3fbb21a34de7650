//! A batch before it is opened.

use super::{
    Batch, BatchError, BatchLife, BatchName, BatchSpec, BatchSpecError, CallbackKind, CallbackMoment,
    CallbackSpec, OnTimeout, found::FoundBatch,
};
use crate::{InvalidOption, Joinable, Queue, client::checked_span};
use queue_core::{Enqueued, Error, Kind, LIVES_MAX, NewJob, QueueName, Result, Span};
use serde::Serialize;
use std::time::Duration;

/// The default time-out: seven days.
const TIMEOUT: Span = Span::from_secs(7 * 24 * 3600);
/// How long members and batch are kept by default: 24 hours.
pub(super) const KEEP: Span = Span::from_secs(24 * 3600);

/// A batch before it is opened; see [`Queue::batch`]. Its parts are checked by
/// [`open`](Self::open), before anything is written.
#[derive(Debug)]
#[must_use = "a batch is opened by `open`"]
pub struct BatchBuilder<P, R = ()> {
    queue: Queue<P, R>,
    name: String,
    spec: BatchSpec,
    callback_queue: Option<String>,
    /// The first part that is not valid.
    invalid: Option<Error>,
}

impl<P, R> BatchBuilder<P, R> {
    pub(super) fn new(queue: Queue<P, R>, name: &str) -> Self {
        let spec = BatchSpec::new(TIMEOUT, KEEP);
        Self { queue, name: name.to_owned(), spec, callback_queue: None, invalid: None }
    }

    /// Sets the callback at the end, however the members ended: a job of this kind, whose payload
    /// is a [`BatchEnd`](super::BatchEnd) with `payload` in it, in JSON under every codec. Under a
    /// codec that encrypts, give it an id in place of data.
    pub fn on_end<C: Serialize>(self, kind: impl CallbackKind<C>, payload: &C) -> Self {
        self.on(CallbackMoment::End, kind, payload)
    }

    /// Sets the callback at the end of a batch whose members all completed, and that neither timed
    /// out nor was cancelled. A batch that is sealed without members is such a one.
    pub fn on_success<C: Serialize>(self, kind: impl CallbackKind<C>, payload: &C) -> Self {
        self.on(CallbackMoment::Success, kind, payload)
    }

    /// Sets the callback at the end of any other batch.
    pub fn on_failure<C: Serialize>(self, kind: impl CallbackKind<C>, payload: &C) -> Self {
        self.on(CallbackMoment::Failure, kind, payload)
    }

    /// Sets the callback as soon as a member has failed for good, or was cancelled or deleted, or
    /// has expired. It is enqueued once, with the counts of that moment.
    pub fn on_first_failure<C: Serialize>(self, kind: impl CallbackKind<C>, payload: &C) -> Self {
        self.on(CallbackMoment::FirstFailure, kind, payload)
    }

    /// Sets the queue of the callbacks, in place of that of the batch. It is in the same store. A
    /// callback in another queue is enqueued before the end of the batch is noted, under the same
    /// id: it may be enqueued again if a worker dies in between, and so it runs once for as long as
    /// its record is kept.
    pub fn callbacks_in(mut self, queue: impl AsRef<str>) -> Self {
        self.callback_queue = Some(queue.as_ref().to_owned());
        self
    }

    /// Sets how long after its opening the batch ends at the latest; more than zero, at most 100
    /// years, seven days by default. Fractions of a millisecond round up.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        match checked_span("a time-out", timeout) {
            Ok(span) => self.spec.timeout_ms = span.as_millis(),
            Err(invalid) => self.refuse(invalid.into()),
        }
        self
    }

    /// Sets what happens at the time-out to members that have not ended. By default those that wait
    /// are cancelled, and those that run are asked to stop.
    pub fn on_timeout(mut self, on_timeout: OnTimeout) -> Self {
        self.spec.on_timeout = on_timeout;
        self
    }

    /// Sets how long members and batch are kept, counted from the moment at which the batch is over
    /// and all members have ended; at most 100 years, 24 hours by default. This takes the place of
    /// the retention of the members: while the batch is open, all of them are kept, so that a
    /// producer that repeats its calls adds nothing twice. At zero the members are deleted. The
    /// batch itself is kept an hour longer.
    pub fn keep(mut self, keep: Duration) -> Self {
        match checked_span("a retention", keep) {
            Ok(span) => self.spec.keep_ms = span.as_millis(),
            Err(invalid) => self.refuse(invalid.into()),
        }
        self
    }

    /// Opens the batch, which then takes members until it is sealed. If a batch of this name is
    /// there already that was opened in the same way, the answer is that batch, also if it has
    /// ended; so a producer may repeat all its calls. The name is free again once the record of the
    /// batch is removed, or the batch was abandoned.
    ///
    /// # Errors
    /// `Invalid`, before anything is written: with [`InvalidBatchName`](super::InvalidBatchName),
    /// [`InvalidOption`] or [`BatchSpecError`] as the source for a part that is not valid, and with
    /// [`BatchError::Exists`] or [`BatchError::NameTaken`] for a name that is taken. `Unsupported`
    /// if the store has no [gates](queue_core::Limits::gates). A dropped future leaves the batch
    /// open or not there.
    pub async fn open(self) -> Result<Batch<P, R>> {
        let (name, job) = self.job()?;
        let storage = self.queue.storage();
        for _ in 0..LIVES_MAX {
            let stored = storage.enqueue(self.queue.name(), vec![vec![job.clone()]]).await?.value;
            if let Some(Enqueued::Queued { seq }) = stored.first().and_then(|group| group.first()) {
                return Ok(self.opened(BatchLife::new(name, *seq)));
            }
            // The record may have been removed since.
            let Some(found) = FoundBatch::by_name(&self.queue.shared, &name).await? else { continue };
            // The stored form of this spec is compared, as it would be read.
            if found.spec != BatchSpec::from_bytes(&job.payload.bytes)? {
                return Err(BatchError::Exists { name }.into());
            }
            return Ok(self.opened(found.life));
        }
        Err(BatchError::NameTaken { name }.into())
    }

    /// Opens the batch in a transaction of the application: it is there if and only if the
    /// transaction commits. Its first members may be added in the same transaction, with
    /// [`Batch::add_in`].
    ///
    /// # Errors
    /// The errors of [`open`](Self::open) and of [`Queue::enqueue_in`], and
    /// [`BatchError::TakenInTransaction`] if the name is taken, also by the same batch.
    pub fn open_in<T: Joinable>(self, transaction: T) -> T::Answer<Batch<P, R>>
    where
        P: 'static,
        R: 'static,
    {
        let made = self.job();
        let name = made.as_ref().map(|(name, _)| name.clone()).ok();
        let asked = made.map(|(_, job)| self.queue.shared.enqueue_in(job));
        transaction.enqueue(asked, move |stored| match (stored, name) {
            (Enqueued::Queued { seq }, Some(name)) => Ok(self.opened(BatchLife::new(name, seq))),
            (_, Some(name)) => Err(BatchError::TakenInTransaction { name }.into()),
            (_, None) => Err(Error::invalid("batch", "a batch without a name")),
        })
    }

    fn opened(self, life: BatchLife) -> Batch<P, R> {
        Batch::new(self.queue, life, self.spec.is_urgent())
    }

    /// The coordinator, once all parts are valid.
    fn job(&self) -> Result<(BatchName, NewJob)> {
        if let Some(invalid) = &self.invalid {
            return Err(invalid.clone());
        }
        let name = BatchName::new(&self.name)?;
        self.queue.name().check_open()?;
        let mut spec = self.spec.clone();
        if let Some(queue) = &self.callback_queue {
            let queue = QueueName::new(queue)?;
            queue.check_open()?;
            for moment in CallbackMoment::ALL {
                if let Some(callback) = spec.callback_mut(moment) {
                    callback.queue = Some(queue.as_str().to_owned());
                }
            }
        }
        spec.check(&self.queue.storage().capabilities().limits)?;
        let job = spec.job(&name);
        Ok((name, job))
    }

    fn on<C: Serialize>(mut self, moment: CallbackMoment, kind: impl CallbackKind<C>, payload: &C) -> Self {
        match kind.callback_kind().map_err(Error::from).and_then(|kind| callback(&kind, payload)) {
            Ok(callback) => *self.spec.callback_mut(moment) = Some(callback),
            Err(invalid) => self.refuse(invalid),
        }
        self
    }

    fn refuse(&mut self, invalid: Error) {
        self.invalid.get_or_insert(invalid);
    }
}

fn callback<C: Serialize>(kind: &Kind, payload: &C) -> Result<CallbackSpec> {
    if kind.is_reserved() {
        return Err(InvalidOption::ReservedKind { kind: kind.clone() }.into());
    }
    CallbackSpec::new(kind, payload).map_err(|error: BatchSpecError| error.into())
}
