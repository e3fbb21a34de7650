//! One permit, from its claim to its start or return.

use super::limiter::Limiter;
use crate::single::policy;
use queue_core::{
    Changed, ClaimedJob, Error, ErrorKind, JobMeta, LeaseToken, Result, StorageExt, lifecycle::Event,
};
use std::{sync::Arc, time::Duration};
use tokio::{
    sync::oneshot,
    time::{Instant, sleep, timeout_at},
};
use tokio_util::sync::CancellationToken;

/// Tries in one lease of what the store refuses for a while.
const TRIES_PER_LEASE: u32 = 12;
/// The least time for a settle, so that the store is asked once even if the lease is about to
/// lapse.
const MOMENT: Duration = Duration::from_millis(100);

/// One start that is allowed, for as long as its lease runs. Dropping it gives it back.
#[derive(Debug)]
#[must_use = "a permit that is dropped is given back"]
pub struct Permit {
    start: oneshot::Sender<oneshot::Sender<Result<()>>>,
}

impl Permit {
    /// Counts the start. Call it right before the work that it is for: from here on the permit is
    /// out of use for a period, also if the work fails or this process dies.
    ///
    /// # Errors
    /// `Conflict` if the permit was held for longer than its lease, and may be another's now:
    /// acquire another. Any other error is one of the store that did not pass within the lease.
    /// Then it is unknown whether the start counts, so do not start.
    ///
    /// A dropped future may have counted the start.
    pub async fn start(self) -> Result<()> {
        let (reply, answer) = oneshot::channel();
        self.start.send(reply).map_err(|_| ended())?;
        answer.await.map_err(|_| ended())?
    }
}

fn ended() -> Error {
    Error::new(
        ErrorKind::Internal,
        "start",
        "the task of the permit ended, with its runtime or by a panic of the store",
    )
    .unknown()
}

/// The task of one permit, from the first claim to its start or return.
pub(super) async fn serve(
    limiter: Arc<Limiter>,
    leave: CancellationToken,
    reply: oneshot::Sender<Result<Permit>>,
) {
    let held = match limiter.obtain(&leave).await {
        Ok(Some(held)) => held,
        Ok(None) => return,
        Err(error) => return drop(reply.send(Err(error))),
    };
    let (start, start_request) = oneshot::channel();
    // The caller may have gone. Then the permit is dropped here, and goes back at once.
    drop(reply.send(Ok(Permit { start })));
    match start_request.await {
        Ok(answer) => drop(answer.send(held.start().await)),
        Err(_dropped) => held.give_back().await,
    }
}

/// The lease of one permit.
pub(super) struct PermitLease {
    limiter: Arc<Limiter>,
    meta: JobMeta,
    token: LeaseToken,
    /// By this process's clock, counted from before the claim was sent.
    lapses_at: Instant,
}

impl PermitLease {
    pub(super) fn new(limiter: Arc<Limiter>, job: ClaimedJob, lapses_at: Instant) -> Self {
        Self { limiter, meta: job.record.meta, token: job.token, lapses_at }
    }

    async fn start(&self) -> Result<()> {
        let changed = self.settle(Event::snooze(self.token, self.limiter.period)).await?;
        if matches!(changed, Changed::Done(_)) {
            return Ok(());
        }
        let message = "the permit was held for longer than its lease; acquire another";
        Err(Error::new(ErrorKind::Conflict, "start", message))
    }

    /// Releases the permit. If that does not come through, the lease lapses by itself.
    async fn give_back(&self) {
        drop(self.settle(Event::release(self.token)).await);
    }

    /// Tries for as long as the lease runs. A settle that is sent again is answered as the first
    /// was.
    async fn settle(&self, event: Event) -> Result<Changed> {
        let until = self.lapses_at.max(Instant::now() + MOMENT);
        let pause = self.limiter.lease.as_duration() / TRIES_PER_LEASE;
        let policy = policy();
        loop {
            let settling = self.limiter.storage.settle(&self.meta, event.clone(), &policy);
            let answer = timeout_at(until, settling).await;
            match answer.unwrap_or_else(|_elapsed| Err(unanswered())) {
                Err(error) if error.is_transient() && Instant::now() + pause < until => sleep(pause).await,
                answer => return answer,
            }
        }
    }
}

fn unanswered() -> Error {
    Error::new(ErrorKind::Unavailable, "start", "the store did not answer").unknown()
}
