//! A job that a program holds in pull mode, and its settles.

use super::{Extended, Nack, Settled};
use crate::{
    Encode, InvalidOption,
    client::{Shared, checked_span},
};
use queue_core::{Changed, Headers, JobId, JobMeta, LeaseToken, Result, StorageExt, lifecycle::Event};
use queue_serde::{CodecContext, Role};
use std::{fmt, marker::PhantomData, sync::Arc, time::Duration};

/// A job that this program holds until it settles it or its lease lapses.
///
/// Every settle takes `&self`, so that a settle of unknown outcome can be sent again: the same
/// settle sent twice is answered twice. After [`Settled::LeaseLost`] nothing was changed, and
/// another consumer may do the work again.
///
/// Dropping a delivery does not settle it: its lease lapses after the time set with
/// [`lease`](crate::QueueBuilder::lease), which charges a stall. Call [`release`](Self::release)
/// instead.
pub struct Delivery<P, R = ()> {
    shared: Arc<Shared>,
    meta: JobMeta,
    token: LeaseToken,
    payload: P,
    headers: Headers,
    result: PhantomData<fn(R)>,
}

impl<P, R> Delivery<P, R> {
    pub(super) fn new(
        shared: Arc<Shared>,
        meta: JobMeta,
        token: LeaseToken,
        payload: P,
        headers: Headers,
    ) -> Self {
        Self { shared, meta, token, payload, headers, result: PhantomData }
    }

    /// The input of the job.
    pub fn payload(&self) -> &P {
        &self.payload
    }

    /// The headers that the producer [set](crate::JobOptions::header) beside the payload.
    pub fn headers(&self) -> &Headers {
        &self.headers
    }

    /// The id of the job.
    pub fn id(&self) -> &JobId {
        &self.meta.id
    }

    /// The metadata of the job, as it was when it was claimed. `(seq, epoch)` fences outside
    /// resources.
    pub fn meta(&self) -> &JobMeta {
        &self.meta
    }

    /// The token of this claim, to settle the job in a transaction of the program
    /// (`PostgresStorage::settle_in`).
    pub fn lease_token(&self) -> LeaseToken {
        self.token
    }

    /// The number of this attempt, counted from one. It repeats after a release.
    pub fn attempt(&self) -> u32 {
        self.meta.attempt()
    }

    /// Completes the job with a result.
    ///
    /// # Errors
    /// `Invalid` for a result that cannot be encoded or is over the store's limit; the program
    /// still holds the job.
    pub async fn ack(&self, result: &R) -> Result<Settled>
    where
        R: Encode,
    {
        let context = CodecContext::of(&self.meta, Role::Result);
        let result = result.encode(&self.shared.codec, &context)?;
        self.settle(Event::Complete { token: self.token, result, retention: None, then: Vec::new() }).await
    }

    /// Fails the attempt: the job runs again after a wait, or is Failed once its budget is spent.
    ///
    /// # Errors
    /// `Invalid` for a delay over 100 years or error details over the store's limit; the program
    /// still holds the job.
    pub async fn nack(&self, nack: impl Into<Nack>) -> Result<Settled> {
        self.settle(nack.into().event(self.token)?).await
    }

    /// Gives the job back unworked, to its old place. Nothing is charged, and a job that can expire
    /// still can.
    pub async fn release(&self) -> Result<Settled> {
        self.settle(Event::release(self.token)).await
    }

    /// Gives the job back, to be claimed once `delay` has passed. Nothing is charged. The job
    /// counts as started, so it does not expire any more.
    ///
    /// # Errors
    /// `Invalid` for a delay over 100 years.
    pub async fn snooze(&self, delay: Duration) -> Result<Settled> {
        let delay = checked_span("a delay", delay)?;
        self.settle(Event::snooze(self.token, delay)).await
    }

    /// Makes the lease lapse `by` from now, whether that is later than before or sooner. Call it
    /// well before the lease ends; a lapsed lease is not extended.
    ///
    /// # Errors
    /// `Invalid` for zero or over 100 years.
    pub async fn extend(&self, by: Duration) -> Result<Extended> {
        if by.is_zero() {
            return Err(InvalidOption::NotPositive { what: "a lease" }.into());
        }
        let by = checked_span("a lease", by)?;
        let changed = self.apply(Event::Extend { token: self.token, by, progress: None }).await?;
        Ok(Extended::of(&changed))
    }

    async fn settle(&self, event: Event) -> Result<Settled> {
        Ok(Settled::of(&self.apply(event).await?))
    }

    async fn apply(&self, event: Event) -> Result<Changed> {
        self.shared.storage.settle_with(&self.meta, &self.headers, event, &self.shared.policy).await
    }
}

impl<P: fmt::Debug, R> fmt::Debug for Delivery<P, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Delivery");
        debug.field("id", self.id()).field("attempt", &self.attempt()).field("payload", &self.payload);
        debug.finish_non_exhaustive()
    }
}
