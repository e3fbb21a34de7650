//! Shows the worker to operators, who may ask it to drain.

use super::{Run, cut};
use crate::{
    ProblemKind, ServiceError,
    wire::{AnnounceAnswer, AnnounceBody},
};
use queue_worker::{hosted::host_name, runtime::Handler as _};
use std::{convert::Infallible, future::pending, time::Duration};
use tokio::time::{sleep, timeout};

const ANNOUNCE_EVERY: Duration = Duration::from_secs(10);
const ANNOUNCE_FOR_MS: u64 = 30_000;
/// How long the last announcement may take.
const RETIRE_MAX: Duration = Duration::from_secs(5);
/// The most bytes of the host that a service takes.
const HOST_BYTES_MAX: usize = 128;

impl Run {
    pub(super) async fn announcements(&self) -> Infallible {
        loop {
            match self.announce(ANNOUNCE_FOR_MS).await {
                Ok(AnnounceAnswer { drain: true }) => self.drain(),
                // The store keeps no workers.
                Err(error) if error.kind() == ProblemKind::Unsupported => return pending().await,
                // Being seen is a comfort; claims tell what is wrong.
                Ok(_) | Err(_) => {}
            }
            sleep(ANNOUNCE_EVERY).await;
        }
    }

    /// Takes the worker off the list. Without an answer it leaves by itself after a while.
    pub(super) async fn retire(&self) {
        drop(timeout(RETIRE_MAX, self.announce(0)).await);
    }

    async fn announce(&self, ttl_ms: u64) -> Result<AnnounceAnswer, ServiceError> {
        let host = format!("{} (process {})", host_name(), std::process::id());
        let body = AnnounceBody {
            worker: self.id.as_str(),
            queues: [self.plan.queue.as_str()],
            concurrency: self.plan.concurrency,
            held: self.held.count(),
            host: cut(&host, HOST_BYTES_MAX),
            version: concat!("queue ", env!("CARGO_PKG_VERSION")),
            kinds: self.plan.handler.kinds(),
            ttl_ms,
        };
        let body = serde_json::to_vec(&body).expect("text and numbers are JSON");
        self.plan.calls.post("/v1/workers", body, Duration::ZERO).await
    }
}
