//! Shows the worker in the store, and learns whether it is to pause or to drain.

use super::{WorkerEvent, host_name::host_name};
use crate::worker::{run::WorkerRun, upkeep::repeat};
use queue_core::{Detail, Duty, Span, Timestamp, WorkerInfo};
use queue_view::{AboutWorker, CurrentJob, QueueWork};
use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};
use tokio::time::Instant;

/// How often a worker shows itself, and learns whether it is to pause or to drain.
const ANNOUNCE_INTERVAL: Duration = Duration::from_secs(10);
/// How long it counts as present after that.
const ANNOUNCE_TTL: Duration = Duration::from_secs(30);

/// Shows the worker while it runs, pauses it while its duty is to pause, and stops it in steps once
/// its duty is to drain.
pub(in crate::worker) async fn announce_presence(run: Arc<WorkerRun>) {
    if !run.storage.capabilities().presence {
        return;
    }
    let announcer = PresenceAnnouncer { run: &run, began: Instant::now(), started_at: OnceLock::new() };
    announcer.announce(ANNOUNCE_TTL).await;
    repeat(&run, ANNOUNCE_INTERVAL, || announcer.announce(ANNOUNCE_TTL)).await;
    announcer.announce(Duration::ZERO).await;
}

struct PresenceAnnouncer<'a> {
    run: &'a WorkerRun,
    began: Instant,
    /// When the run began in store time, known from the first answer that has the time.
    started_at: OnceLock<Timestamp>,
}

impl PresenceAnnouncer<'_> {
    /// Announces the worker for this long. A time of zero retires it.
    async fn announce(&self, ttl: Duration) {
        let run = self.run;
        if !ttl.is_zero() {
            self.learn_start().await;
        }
        match run.storage.announce(self.info(), ttl).await {
            Ok(Duty::Drain) if !run.shutdown.stop.is_cancelled() => {
                tracing::info!(worker = %run.name.id, "somebody asked this worker to drain");
                run.events.emit(&WorkerEvent::Draining);
                run.shutdown.stop.cancel();
            }
            Ok(duty) if !run.shutdown.stop.is_cancelled() && !ttl.is_zero() => {
                self.pause_or_resume(duty == Duty::Pause);
            }
            Ok(_) => {}
            Err(error) => run.report_error(error),
        }
    }

    /// Stops the claims of this worker while its duty is to pause, and then goes on with them.
    fn pause_or_resume(&self, is_paused: bool) {
        let run = self.run;
        if !run.pause.set(is_paused) {
            return;
        }
        if is_paused {
            run.paused.notify_one();
        }
        let what =
            if is_paused { "somebody paused this worker" } else { "this worker goes on after a pause" };
        tracing::info!(worker = %run.name.id, "{what}");
        run.events.emit(if is_paused { &WorkerEvent::Paused } else { &WorkerEvent::Resumed });
    }

    /// Asks for the time of the store with a read of no job. A failure does no harm: the next
    /// announcement asks again.
    async fn learn_start(&self) {
        if self.started_at.get().is_some() {
            return;
        }
        let queue = &self.run.queues[0].name;
        if let Ok(answer) = self.run.storage.get(queue, &[], Detail::Meta).await {
            let ago = Span::new("a run", self.began.elapsed()).unwrap_or(Span::ZERO);
            let started_at = Timestamp::from_millis(answer.now.as_millis() - ago.as_millis());
            let _first = self.started_at.set(started_at);
        }
    }

    /// What the worker shows of itself now. `AboutWorker::to_bytes` cuts it to the bytes that
    /// stores keep.
    fn info(&self) -> WorkerInfo {
        let run = self.run;
        let held = run.held.all();
        let held_of = |index: usize| held.iter().filter(|job| job.queue_index() == index).count();
        let queues = run
            .queues
            .iter()
            .enumerate()
            .map(|(index, queue)| QueueWork::new(queue.name.to_string(), queue.weight, held_of(index)));
        let mut jobs: Vec<_> = held.iter().map(|job| CurrentJob::of(job.meta())).collect();
        jobs.sort_by_key(|job| (job.since, job.seq));
        let host = host_name();
        let mut about = AboutWorker::default();
        env!("CARGO_PKG_VERSION").clone_into(&mut about.version);
        about.pid = std::process::id();
        about.host.clone_from(&host);
        about.started_at = self.started_at.get().copied();
        about.kinds.clone_from(&run.handled);
        about.queues = queues.collect();
        about.jobs = jobs;
        WorkerInfo {
            queues: run.queues.iter().map(|queue| queue.name.clone()).collect(),
            concurrency: u32::try_from(run.options.concurrency).unwrap_or(u32::MAX),
            held: u32::try_from(held.len()).unwrap_or(u32::MAX),
            host: format!("{host} (process {})", about.pid),
            about: about.to_bytes(),
            ..WorkerInfo::new(run.name.id.clone())
        }
    }
}
