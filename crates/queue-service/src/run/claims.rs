//! Claims: as many jobs as there is room for, one claim at a time, none of them lost.

use super::Run;
use crate::{
    ServiceError,
    client::Backoff,
    spawn::spawn,
    wire::{ClaimAnswer, ClaimBody, ItemsAnswer, items_body, millis},
};
use futures_util::{FutureExt, StreamExt, future::BoxFuture, stream::FuturesUnordered};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::json;
use std::{future::pending, sync::Arc, time::Duration};
use tokio::time::{Instant, sleep, timeout};

/// How long a claim waits at the service.
const WAIT: Duration = Duration::from_secs(20);
/// The most jobs of a claim.
const LIMIT_MAX: usize = 1_000;
/// An answer without jobs that comes sooner than this did not wait, so the next claim is put off.
const QUICK: Duration = Duration::from_millis(50);
const QUICK_REST: Duration = Duration::from_secs(1);
/// How long the worker asks at its end after a claim that it gave up.
const GIVE_BACK_MAX: Duration = Duration::from_secs(5);

/// An answer, and when it was asked for.
type ClaimResult = Result<(ClaimAnswer, Instant), ServiceError>;

impl Run {
    /// Claims and runs jobs until it is stopped and the last one has ended. What the service
    /// refuses for good stops it.
    pub(super) async fn work(self: &Arc<Self>) -> Result<(), ServiceError> {
        let mut failed = None;
        let mut running = FuturesUnordered::new();
        let mut claim: Option<BoxFuture<'_, ClaimResult>> = None;
        let mut rest = Duration::ZERO;
        loop {
            let is_stopping = self.steps.stop.is_cancelled();
            let free = self.plan.concurrency.saturating_sub(running.len());
            if is_stopping {
                // It closes the connection of a claim that waits.
                if claim.take().is_some() {
                    self.give_back().await;
                }
            } else if claim.is_none() && free > 0 {
                claim = Some(self.claim(free.min(LIMIT_MAX), rest).boxed());
            }
            if claim.is_none() && running.is_empty() {
                return failed.map_or(Ok(()), Err);
            }
            tokio::select! {
                Some(ended) = running.next(), if !running.is_empty() => {
                    // A bug here, since a panic of a handler is an outcome.
                    if let Err(_panic) = ended {
                        self.count(|report| report.abandoned += 1);
                    }
                }
                answer = next(&mut claim), if claim.is_some() => {
                    claim = None;
                    match answer {
                        Ok((answer, sent_at)) => {
                            rest = self.rest_after(&answer, sent_at, running.is_empty());
                            let granted_at = answer.granted_at(sent_at);
                            let jobs = answer.jobs.into_iter();
                            running.extend(jobs.map(|job| spawn(self.clone().run_job(job, granted_at))));
                        }
                        Err(error) => {
                            self.steps.stop.cancel();
                            failed = Some(error);
                        }
                    }
                }
                () = self.steps.stop.cancelled(), if !is_stopping => {}
            }
        }
    }

    /// How long the next claim is put off. Stops a worker that ends with its queue.
    fn rest_after(&self, answer: &ClaimAnswer, sent_at: Instant, is_idle: bool) -> Duration {
        if answer.drain {
            self.drain();
        }
        if !answer.jobs.is_empty() {
            return Duration::ZERO;
        }
        if self.plan.until_empty {
            if is_idle && answer.next_due_in_ms.is_none() && !answer.paused {
                self.steps.stop.cancel();
            }
            let due = answer.next_due_in_ms.map_or(self.plan.poll, Duration::from_millis);
            return due.clamp(QUICK, self.plan.poll.max(QUICK));
        }
        if sent_at.elapsed() < QUICK { QUICK_REST } else { Duration::ZERO }
    }

    /// Claims until there is an answer. One that was lost is asked for again, since its jobs may be
    /// leased.
    async fn claim(&self, limit: usize, rest: Duration) -> ClaimResult {
        sleep(rest).await;
        let mut backoff = Backoff::new();
        let mut is_lost = false;
        loop {
            if !is_lost {
                *self.claim_id.lock() = Some(format!("{:032x}", self.plan.rng.next_u128()));
            }
            let wait = if is_lost || self.plan.until_empty { Duration::ZERO } else { WAIT };
            let sent_at = Instant::now();
            match self.send_claim(limit, wait, is_lost).await {
                // It says which jobs the lost claim leased, and not whether the queue has more.
                Ok(answer) if is_lost && answer.jobs.is_empty() && !answer.drain => is_lost = false,
                Ok(answer) => {
                    *self.claim_id.lock() = None;
                    self.token_wait.taken();
                    return Ok((answer, sent_at));
                }
                Err(error) => {
                    let passing = self.token_wait.passing(error);
                    let error = passing.inspect_err(|_| *self.claim_id.lock() = None)?;
                    is_lost |= error.is_unknown();
                    let wait = backoff.after(&error, &*self.plan.rng);
                    self.warn(error);
                    sleep(wait).await;
                }
            }
        }
    }

    async fn send_claim(
        &self,
        limit: usize,
        wait: Duration,
        repeat: bool,
    ) -> Result<ClaimAnswer, ServiceError> {
        let claim_id = self.claim_id.lock().clone().unwrap_or_default();
        let body = ClaimBody {
            worker: self.id.as_str(),
            claim_id: &claim_id,
            limit,
            lease_ms: millis(self.plan.lease),
            wait_ms: millis(wait),
            repeat,
        };
        let body = serde_json::to_vec(&body).expect("text and numbers are JSON");
        let queue = utf8_percent_encode(self.plan.queue.as_str(), NON_ALPHANUMERIC);
        self.plan.calls.post(&format!("/v1/queues/{queue}/claim"), body, wait).await
    }

    /// Releases what a claim took that was given up on its way. Without an answer the service sees
    /// that the connection is closed, or the leases lapse.
    async fn give_back(&self) {
        if self.claim_id.lock().is_some() {
            drop(timeout(GIVE_BACK_MAX, self.release_claimed()).await);
        }
    }

    async fn release_claimed(&self) -> Result<(), ServiceError> {
        let answer = self.send_claim(LIMIT_MAX, Duration::ZERO, true).await?;
        let release = |receipt: &str| json!({"receipt": receipt, "release": {}}).to_string();
        let items: Vec<String> = answer.jobs.iter().map(|job| release(&job.receipt)).collect();
        if !items.is_empty() {
            let body = items_body(items.iter().map(String::as_str), None);
            let _answer: ItemsAnswer = self.plan.calls.post("/v1/settle", body, Duration::ZERO).await?;
        }
        Ok(())
    }
}

async fn next(claim: &mut Option<BoxFuture<'_, ClaimResult>>) -> ClaimResult {
    match claim {
        Some(claim) => claim.await,
        None => pending().await,
    }
}
