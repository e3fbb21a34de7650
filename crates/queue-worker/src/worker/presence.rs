use super::{
    AboutWorker, WorkerEvent,
    about::{CurrentJob, QueueWork},
    host_name::host_name,
    maintenance::repeat,
    shared::Shared,
};
use queue_core::{Detail, Duty, Span, Timestamp, WorkerInfo};
use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};
use tokio::time::Instant;

/// How often a worker shows itself, and hears whether it is to drain.
const ANNOUNCE_INTERVAL: Duration = Duration::from_secs(10);
/// How long it counts as present after that.
const ANNOUNCE_TTL: Duration = Duration::from_secs(30);

/// Shows the worker while it runs, and stops it in steps once somebody asks it to drain.
pub(super) async fn run_presence(shared: Arc<Shared>) {
    if !shared.storage.capabilities().presence {
        return;
    }
    let presence = Presence { shared: &shared, began: Instant::now(), started_at: OnceLock::new() };
    presence.announce(ANNOUNCE_TTL).await;
    repeat(&shared, ANNOUNCE_INTERVAL, || presence.announce(ANNOUNCE_TTL)).await;
    presence.announce(Duration::ZERO).await;
}

struct Presence<'a> {
    shared: &'a Shared,
    began: Instant,
    /// In store time, once an answer told it.
    started_at: OnceLock<Timestamp>,
}

impl Presence<'_> {
    async fn announce(&self, ttl: Duration) {
        let shared = self.shared;
        if !ttl.is_zero() {
            self.learn_start().await;
        }
        match shared.storage.announce(self.info(), ttl).await {
            Ok(Duty::Drain) if !shared.signals.stop.is_cancelled() => {
                tracing::info!(worker = %shared.name.id, "somebody asked this worker to drain");
                shared.emit(&WorkerEvent::Draining);
                shared.signals.stop.cancel();
            }
            Ok(_) => {}
            Err(error) => shared.report_error(error),
        }
    }

    /// Reads no job, for the time of the store alone. A failure is no matter: the next announcement asks again.
    async fn learn_start(&self) {
        if self.started_at.get().is_some() {
            return;
        }
        let queue = &self.shared.queues[0].name;
        if let Ok(told) = self.shared.storage.get(queue, &[], Detail::Meta).await {
            let ago = Span::new("a run", self.began.elapsed()).unwrap_or(Span::ZERO);
            let started_at = Timestamp::from_millis(told.now.as_millis() - ago.as_millis());
            let _first = self.started_at.set(started_at);
        }
    }

    fn info(&self) -> WorkerInfo {
        let (shared, held) = (self.shared, self.shared.held_jobs());
        let held_of = |lane: usize| held.iter().filter(|job| job.lane() == lane).count();
        let queues = shared.queues.iter().enumerate().map(|(lane, queue)| QueueWork {
            name: queue.name.to_string(),
            weight: queue.weight,
            holds: held_of(lane),
        });
        let mut jobs: Vec<_> = held.iter().map(|job| CurrentJob::of(job.meta())).collect();
        jobs.sort_by_key(|job| (job.since, job.seq));
        let host = host_name();
        let about = AboutWorker {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            pid: std::process::id(),
            host: host.clone(),
            started_at: self.started_at.get().copied(),
            kinds: shared.handled.clone(),
            queues: queues.collect(),
            jobs,
            ..AboutWorker::default()
        };
        WorkerInfo {
            queues: shared.queues.iter().map(|queue| queue.name.clone()).collect(),
            concurrency: u32::try_from(shared.options.concurrency).unwrap_or(u32::MAX),
            running: u32::try_from(held.len()).unwrap_or(u32::MAX),
            host: format!("{host} (process {})", about.pid),
            about: about.to_bytes(),
            ..WorkerInfo::new(shared.name.id.clone())
        }
    }
}
