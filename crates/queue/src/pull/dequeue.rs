//! Takes jobs, and waits for them.

use super::{
    Delivery,
    claim::{Offer, claim, out_of_time},
};
use crate::{
    Decode, Queue,
    client::{Shared, checked_span},
    hints::Hints,
};
use queue_core::{
    Claimed, ClaimedJob, Error, Headers, Interest, JobMeta, LeaseToken, Result, Span, StorageExt,
    asking::{AfterClaim, NextAsk},
    lifecycle::{Cause, Event},
};
use queue_serde::{CodecContext, CodecError, Role};
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// How much longer than the call time-out of the store a claim and its follow-up calls may take,
/// beyond the time to wait.
const CLAIM_SLACK: Duration = Duration::from_secs(1);
/// The time between two claims of one wait, since hints may be lost. With its jitter it is at most
/// a second.
const POLL: Duration = Duration::from_millis(800);

impl<P: Decode, R> Queue<P, R> {
    /// Takes a job, and waits up to `wait` for one; `None` if none was due by then. A `wait` of
    /// zero asks once; at most 100 years.
    ///
    /// The program holds the job until it settles it or the lease lapses; see [`Delivery`]. Jobs
    /// whose lease has lapsed are rescued when there are no other jobs, and every five seconds
    /// otherwise, so a program needs no worker. The method answers at the latest one second after
    /// `wait` and the call time-out of the store together
    /// ([`Capabilities::call_timeout`](crate::Capabilities::call_timeout)), also if the store does
    /// not answer.
    ///
    /// Each claim is listened for at most two thirds of the [lease](crate::QueueBuilder::lease),
    /// which leaves time to find and give back what a lost claim leased. So a lease should be
    /// longer than one and a half times what the store may take for an answer.
    ///
    /// # Errors
    /// `Unavailable` if the store did not answer in time, under a short lease after two thirds of
    /// it. `Invalid` if the payload cannot be
    /// decoded as `P`: that job is Failed as undecodable (or retried, if the policy says so), and
    /// the next call goes on with the next job. Before any claim `Invalid` for a [queue of the
    /// library](queue_core::ReservedQueue).
    ///
    /// A dropped future holds no job: a task of its own finishes a claim that is in flight, and
    /// gives the job back, uncharged.
    ///
    /// # Panics
    /// Outside a tokio runtime with time enabled.
    pub async fn dequeue(&self, wait: Duration) -> Result<Option<Delivery<P, R>>> {
        Ok(self.dequeue_many(1, wait).await?.pop())
    }

    /// Takes up to `limit` jobs in one call, in claim order, as soon as there is one; empty if none
    /// was due within `wait`.
    ///
    /// Otherwise it behaves like [`dequeue`](Self::dequeue). All jobs are leased from the same
    /// moment, so the last one must be settled or extended in time too. At most
    /// [`Limits::batch_max`](crate::Limits::batch_max) jobs come, 10,000 by default; a limit of
    /// zero takes no jobs and does not wait. Fewer come if the payloads have over 16 MiB together,
    /// and for a while after an answer was lost: half as many after each lost answer, and twice as
    /// many after each answer that came.
    ///
    /// # Errors
    /// `Unavailable` if the store did not answer in time. A job whose payload cannot be decoded as
    /// `P` is settled as undecodable and left out; `Invalid` if that leaves no job.
    ///
    /// A dropped future holds no job, as with [`dequeue`](Self::dequeue).
    ///
    /// # Panics
    /// Outside a tokio runtime with time enabled.
    pub async fn dequeue_many(&self, limit: usize, wait: Duration) -> Result<Vec<Delivery<P, R>>> {
        self.shared.name.check_open()?;
        let wait = checked_span("a time to wait", wait)?;
        let capabilities = self.shared.storage.capabilities();
        let limit = limit.min(capabilities.limits.batch_max);
        if limit == 0 {
            return Ok(Vec::new());
        }
        let deadline = Instant::now() + wait.as_duration();
        let claim_max = capabilities.call_timeout.saturating_add(CLAIM_SLACK).min(Span::MAX.as_duration());
        let mut idle: Option<DequeueWait> = None;
        loop {
            let asked = Instant::now();
            let until = deadline.max(asked) + claim_max;
            let claiming = claim(&self.shared, limit, until);
            let offer = match &mut idle {
                Some(idle) => {
                    idle.hints.forget();
                    idle.hints.beside(claiming).await?
                }
                None => claiming.await?,
            };
            if !offer.claimed.jobs.is_empty() {
                drop(idle);
                return timeout_at(until, self.deliver(offer)).await.unwrap_or_else(|_| Err(out_of_time()));
            }
            if asked >= deadline {
                return Ok(Vec::new());
            }
            match &mut idle {
                Some(idle) => idle.rest(&self.shared, &offer.claimed, limit, deadline).await,
                // One more claim finds the jobs that came before the subscription.
                None => idle = Some(DequeueWait::new(&self.shared, deadline).await),
            }
        }
    }

    /// Hands out the jobs of an offer, except those whose payload cannot be decoded. Dropping the
    /// future drops the offer, so that all jobs are given back.
    async fn deliver(&self, mut offer: Offer) -> Result<Vec<Delivery<P, R>>> {
        let mut deliveries = Vec::new();
        let mut unread = None;
        for job in std::mem::take(&mut offer.claimed.jobs) {
            let ClaimedJob { record, token } = job;
            let body = record.body.ok_or_else(|| Error::without_body("dequeue"))?;
            match self.shared.decode(&body.payload, &CodecContext::of(&record.meta, Role::Payload)) {
                Ok(payload) => {
                    deliveries.push(Delivery::new(
                        self.shared.clone(),
                        record.meta,
                        token,
                        payload,
                        body.headers,
                    ));
                }
                Err(error) => {
                    refuse(&self.shared, &record.meta, &body.headers, token, &error).await?;
                    unread = Some(error);
                }
            }
        }
        // All jobs are handed out or settled now. If the future is dropped before, the offer gives
        // them back.
        offer.take();
        match unread {
            Some(error) if deliveries.is_empty() => Err(error.into()),
            _ => Ok(deliveries),
        }
    }
}

/// Settles a job whose payload this program cannot decode.
async fn refuse(
    shared: &Shared,
    job: &JobMeta,
    headers: &Headers,
    token: LeaseToken,
    error: &CodecError,
) -> Result<()> {
    let failure = error.undecodable();
    let cause = Cause::Undecodable;
    let event = Event::Fail { token, failure, cause, delay: None, retention: None, then: Vec::new() };
    shared.storage.settle_with(job, headers, event, &shared.policy).await.map(drop)
}

/// The state of a dequeue between two claims.
struct DequeueWait {
    hints: Hints,
    next_ask: NextAsk,
}

impl DequeueWait {
    async fn new(shared: &Shared, deadline: Instant) -> Self {
        let hints = Hints::subscribe(shared, Interest::Wake, deadline).await;
        Self { hints, next_ask: NextAsk::for_claims(POLL) }
    }

    /// Waits for a hint, the next due time, the next poll or the deadline. If a lease has lapsed,
    /// the claim has already been followed by a rescue.
    async fn rest(&mut self, shared: &Shared, claimed: &Claimed, limit: usize, deadline: Instant) {
        let now = Instant::now().into_std();
        let _rescued: AfterClaim = self.next_ask.claimed(now, claimed, 0, limit, &*shared.rng);
        self.next_ask.no_later_than(deadline.into_std());
        self.hints.until_next_ask(&mut self.next_ask).await;
    }
}
