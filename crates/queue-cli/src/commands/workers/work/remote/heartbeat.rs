//! What goes on beside the jobs: their leases are extended, and operators see the worker.

use super::{
    RemoteWorker,
    calls::{CallError, ProblemKind},
    held::HeldJob,
    protocol::{AnnounceAnswer, ItemsAnswer, ItemsBody},
};
use serde_json::json;
use std::{convert::Infallible, rc::Rc, time::Duration};
use tokio::time::{Instant, sleep, timeout};

/// The most receipts of a call.
const ITEMS_MAX: usize = 1_000;
const ANNOUNCE_EVERY: Duration = Duration::from_secs(10);
const ANNOUNCE_FOR_MS: u64 = 30_000;
/// How long the last announcement may take.
const RETIRE_MAX: Duration = Duration::from_secs(5);

impl RemoteWorker<'_> {
    /// Extends the leases of which a third has passed, and stops what lost its lease.
    pub(super) async fn heartbeats(&self) -> Infallible {
        let lease = self.args.lease;
        loop {
            sleep(lease / 6).await;
            let due = self.held.due_within(lease * 2 / 3);
            for part in due.chunks(ITEMS_MAX) {
                match timeout(lease / 3, self.extend(part)).await {
                    Ok(Ok(())) => {}
                    Ok(Err(error)) => self.warn_and_try_again(&error.message),
                    Err(_elapsed) => self.warn_and_try_again("the service does not answer a heartbeat"),
                }
            }
        }
    }

    async fn extend(&self, jobs: &[Rc<HeldJob>]) -> Result<(), CallError> {
        let by_ms = millis(self.args.lease);
        let items = jobs.iter().map(|job| json!({"receipt": job.receipt, "by_ms": by_ms})).collect();
        let sent_at = Instant::now();
        let body = ItemsBody { worker: Some(self.name.clone()), items };
        let answer: ItemsAnswer = self.calls.post("/v1/extend", &body, Duration::ZERO).await?;
        for (job, item) in jobs.iter().zip(&answer.items) {
            match item.outcome.as_str() {
                "done" => {
                    let lease = item.lease_ms.map_or(self.args.lease, Duration::from_millis);
                    job.extend(sent_at, lease);
                    if item.cancel_requested {
                        job.stop.cancel();
                    }
                }
                "lease_lost" | "missing" => job.lose(),
                "refused" => self.warn(&format!("a lease was not extended: {}", item.refusal())),
                // It is tried again before the lease ends.
                _ => {}
            }
        }
        if answer.drain {
            self.drain();
        }
        Ok(())
    }

    pub(super) async fn announcements(&self) -> Infallible {
        loop {
            match self.announce(ANNOUNCE_FOR_MS).await {
                Ok(AnnounceAnswer { drain: true }) => self.drain(),
                // The store keeps no workers.
                Err(error) if error.kind == ProblemKind::Unsupported => return std::future::pending().await,
                // Being seen is a comfort; claims tell what is wrong.
                Ok(_) | Err(_) => {}
            }
            sleep(ANNOUNCE_EVERY).await;
        }
    }

    /// Takes the worker off the list.
    pub(super) async fn retire(&self) {
        // It is taken off by itself after a while.
        drop(timeout(RETIRE_MAX, self.announce(0)).await);
    }

    async fn announce(&self, ttl_ms: u64) -> Result<AnnounceAnswer, CallError> {
        let body = json!({
            "worker": self.name,
            "queues": [self.queue],
            "concurrency": self.args.concurrency(),
            "running": self.held.count(),
            "host": format!("process {}", std::process::id()),
            "version": concat!("queue-cli ", env!("CARGO_PKG_VERSION")),
            "ttl_ms": ttl_ms,
        });
        self.calls.post("/v1/workers", &body, Duration::ZERO).await
    }
}

pub(super) fn millis(length: Duration) -> u64 {
    u64::try_from(length.as_millis()).unwrap_or(u64::MAX)
}
