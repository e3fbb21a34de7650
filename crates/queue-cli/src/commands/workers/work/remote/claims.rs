//! Claims: as many jobs as there is room for, one claim at a time, none of them lost.

use super::{
    RemoteWorker,
    calls::{Backoff, CallError},
    heartbeat::millis,
    protocol::{ClaimAnswer, ClaimBody, ItemsAnswer, ItemsBody},
    settle::JobEnd,
};
use crate::exit::CliError;
use futures_util::{FutureExt, StreamExt, future::LocalBoxFuture, stream::FuturesUnordered};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use queue::{Rng, SystemRng, worker::WorkerReport};
use serde_json::json;
use std::time::Duration;
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
type Claimed = Result<(ClaimAnswer, Instant), CallError>;

impl RemoteWorker<'_> {
    /// Claims and runs jobs until it is told to stop and the last one has ended.
    pub(super) async fn work(&self) -> Result<WorkerReport, CliError> {
        let (mut report, mut failed) = (WorkerReport::default(), None);
        let mut running = FuturesUnordered::new();
        let mut claim: Option<LocalBoxFuture<'_, Claimed>> = None;
        let mut rest = Duration::ZERO;
        loop {
            let (is_stopping, free) = (self.stop.is_cancelled(), self.args.concurrency() - running.len());
            if is_stopping {
                // It closes the connection of a claim that waits.
                if claim.take().is_some() {
                    self.give_back().await;
                }
            } else if claim.is_none() && free > 0 {
                claim = Some(self.claim(free.min(LIMIT_MAX), rest).boxed_local());
            }
            if claim.is_none() && running.is_empty() {
                break;
            }
            tokio::select! {
                Some(end) = running.next(), if !running.is_empty() => note(&mut report, end),
                answer = next(&mut claim), if claim.is_some() => {
                    claim = None;
                    match answer {
                        Ok((answer, sent_at)) => {
                            rest = self.rest_after(&answer, sent_at, running.is_empty());
                            report.started += answer.jobs.len() as u64;
                            let granted_at = sent_at + Duration::from_millis(answer.waited_ms);
                            running.extend(answer.jobs.into_iter().map(|job| self.run_job(job, granted_at)));
                        }
                        Err(error) => {
                            self.stop.cancel();
                            failed = Some(error);
                        }
                    }
                }
                () = self.stop.cancelled(), if !is_stopping => {}
            }
        }
        failed.map_or(Ok(report), |error| Err(error.into()))
    }

    /// How long the next claim is put off. Stops a worker that ends with its queue.
    fn rest_after(&self, answer: &ClaimAnswer, sent_at: Instant, is_idle: bool) -> Duration {
        if answer.drain {
            self.drain();
        }
        if !answer.jobs.is_empty() {
            return Duration::ZERO;
        }
        if self.args.drain {
            if is_idle && answer.next_due_in_ms.is_none() && !answer.paused {
                self.stop.cancel();
            }
            let due = answer.next_due_in_ms.map_or(self.args.poll, Duration::from_millis);
            return due.clamp(QUICK, self.args.poll.max(QUICK));
        }
        if sent_at.elapsed() < QUICK { QUICK_REST } else { Duration::ZERO }
    }

    /// Claims until there is an answer. One that was lost is asked for again, since its jobs may be
    /// leased.
    async fn claim(&self, limit: usize, rest: Duration) -> Claimed {
        sleep(rest).await;
        let mut backoff = Backoff::new();
        let mut is_lost = false;
        loop {
            if !is_lost {
                self.claim_id.replace(Some(format!("{:032x}", SystemRng.next_u128())));
            }
            let wait = if is_lost || self.args.drain { Duration::ZERO } else { WAIT };
            let sent_at = Instant::now();
            match self.send_claim(limit, wait, is_lost).await {
                // It says which jobs the lost claim leased, and not whether the queue has more.
                Ok(answer) if is_lost && answer.jobs.is_empty() && !answer.drain => is_lost = false,
                Ok(answer) => {
                    self.claim_id.take();
                    return Ok((answer, sent_at));
                }
                Err(error) if error.may_be_mended() => {
                    is_lost |= error.is_unknown;
                    self.warn_and_try_again(&error.message);
                    sleep(backoff.after(&error)).await;
                }
                Err(error) => {
                    self.claim_id.take();
                    return Err(error);
                }
            }
        }
    }

    async fn send_claim(&self, limit: usize, wait: Duration, repeat: bool) -> Result<ClaimAnswer, CallError> {
        let body = ClaimBody {
            worker: &self.name,
            claim_id: self.claim_id.borrow().clone().unwrap_or_default(),
            limit,
            lease_ms: millis(self.args.lease),
            wait_ms: millis(wait),
            repeat,
        };
        let path = format!("/v1/queues/{}/claim", utf8_percent_encode(&self.queue, NON_ALPHANUMERIC));
        self.calls.post(&path, &body, wait).await
    }

    /// Releases what a claim took that was given up on its way.
    async fn give_back(&self) {
        if self.claim_id.borrow().is_none() {
            return;
        }
        let given_back = async {
            let answer = self.send_claim(LIMIT_MAX, Duration::ZERO, true).await?;
            let items: Vec<_> =
                answer.jobs.iter().map(|job| json!({"receipt": job.receipt, "release": {}})).collect();
            if !items.is_empty() {
                let body = ItemsBody { worker: None, items };
                let _: ItemsAnswer = self.calls.post("/v1/settle", &body, Duration::ZERO).await?;
            }
            Ok::<_, CallError>(())
        };
        // Otherwise the service sees that nobody listens, or the leases lapse.
        drop(timeout(GIVE_BACK_MAX, given_back).await);
    }
}

async fn next(claim: &mut Option<LocalBoxFuture<'_, Claimed>>) -> Claimed {
    match claim {
        Some(claim) => claim.await,
        None => std::future::pending().await,
    }
}

fn note(report: &mut WorkerReport, end: JobEnd) {
    let count = match end {
        JobEnd::Completed => &mut report.completed,
        JobEnd::Failing => &mut report.failing,
        JobEnd::Failed => &mut report.failed,
        JobEnd::Released => &mut report.released,
        JobEnd::Cancelled => &mut report.cancelled,
        JobEnd::Lost => &mut report.leases_lost,
        JobEnd::Abandoned => &mut report.abandoned,
    };
    *count += 1;
}
