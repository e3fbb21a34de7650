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
    Claimed, ClaimedJob, Error, ErrorKind, Headers, Interest, JobMeta, LeaseToken, Result, Span, StorageExt,
    asking::{AfterClaim, NextAsk},
    lifecycle::{Cause, Event},
};
use queue_serde::{CodecContext, CodecError, Role};
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// How much longer than the store gives its own call a claim and what follows it may take, beyond
/// the time to wait.
const CLAIM_SLACK: Duration = Duration::from_secs(1);
/// The time between two claims of one wait, since hints get lost. With its jitter it is at most a
/// second.
const POLL: Duration = Duration::from_millis(800);

impl<P: Decode, R> Queue<P, R> {
    /// Takes a job, waiting up to `wait` for one; `None` if none was due by then. Zero asks once;
    /// at most 100 years.
    ///
    /// The job is held until it is settled or its lease lapses; see [`Delivery`]. Jobs whose lease
    /// has lapsed are rescued when there is nothing else, and every five seconds otherwise, so a
    /// program may do without any worker. It answers at the latest one second after `wait` and the
    /// time that the store gives a call
    /// ([`Capabilities::call_timeout`](crate::Capabilities::call_timeout)), whatever the store
    /// does.
    ///
    /// # Errors
    /// `Unavailable` if the store did not answer in time. `Invalid` if the payload is no `P`: that
    /// job is Failed as undecodable (or retried, if the policy says so), and the next call goes on
    /// with the next job.
    ///
    /// A dropped future holds nothing: a claim that is under way is finished by a task of its own,
    /// and its job goes back uncharged.
    ///
    /// # Panics
    /// Outside a tokio runtime with time enabled.
    pub async fn dequeue(&self, wait: Duration) -> Result<Option<Delivery<P, R>>> {
        Ok(self.dequeue_many(1, wait).await?.pop())
    }

    /// Takes up to `limit` jobs in one call, in claim order, as soon as there is one; none if none
    /// was due within `wait`.
    ///
    /// As [`dequeue`](Self::dequeue) in everything else. All are leased from the same moment, so
    /// the last must be settled or extended in time too. At most
    /// [`Limits::batch_max`](crate::Limits::batch_max) jobs come, 10,000 by default; a limit of
    /// zero takes nothing and does not wait. Fewer come where payloads are over 16 MiB together,
    /// and for a while after an answer was lost: then half as many each time, and twice as many
    /// after each that came.
    ///
    /// # Errors
    /// `Unavailable` if the store did not answer in time. A job whose payload is no `P` is settled
    /// as undecodable and left out; `Invalid` if that leaves none.
    ///
    /// A dropped future holds nothing, as with [`dequeue`](Self::dequeue).
    ///
    /// # Panics
    /// Outside a tokio runtime with time enabled.
    pub async fn dequeue_many(&self, limit: usize, wait: Duration) -> Result<Vec<Delivery<P, R>>> {
        let wait = checked_span("a time to wait", wait)?;
        let capabilities = self.shared.storage.capabilities();
        let limit = limit.min(capabilities.limits.batch_max);
        if limit == 0 {
            return Ok(Vec::new());
        }
        let deadline = Instant::now() + wait.as_duration();
        let claim_max = capabilities.call_timeout.saturating_add(CLAIM_SLACK).min(Span::MAX.as_duration());
        let mut idle: Option<Idle> = None;
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
                // What happened before the subscription is found by claiming once more.
                None => idle = Some(Idle::new(&self.shared, deadline).await),
            }
        }
    }

    /// Hands out the jobs of an offer, except those whose payload cannot be read. Dropping the
    /// future drops the offer, so all of them go back.
    async fn deliver(&self, mut offer: Offer) -> Result<Vec<Delivery<P, R>>> {
        let mut deliveries = Vec::new();
        let mut unread = None;
        for job in std::mem::take(&mut offer.claimed.jobs) {
            let ClaimedJob { record, token } = job;
            let body = record.body.ok_or_else(no_body)?;
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
        offer.take();
        match unread {
            Some(error) if deliveries.is_empty() => Err(error.into()),
            _ => Ok(deliveries),
        }
    }
}

fn no_body() -> Error {
    Error::new(ErrorKind::Internal, "dequeue", "the store gave out a job without its body")
}

/// Settles a job that this program cannot read.
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

/// What a dequeue does between two claims.
struct Idle {
    hints: Hints,
    next_ask: NextAsk,
}

impl Idle {
    async fn new(shared: &Shared, deadline: Instant) -> Self {
        let hints = Hints::subscribe(shared, Interest::Wake, deadline).await;
        Self { hints, next_ask: NextAsk::for_claims(POLL) }
    }

    /// Waits for a hint, the time at which something is due, the next poll or the deadline. Where a
    /// lease has lapsed, a rescue came behind the claim already.
    async fn rest(&mut self, shared: &Shared, claimed: &Claimed, limit: usize, deadline: Instant) {
        let now = Instant::now().into_std();
        let _rescued: AfterClaim = self.next_ask.claimed(now, claimed, 0, limit, &*shared.rng);
        self.next_ask.no_later_than(deadline.into_std());
        self.hints.until_next_ask(&mut self.next_ask).await;
    }
}
