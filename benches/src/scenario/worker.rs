//! The worker of the measurements: one handler that does nothing.

use super::{job::queue, setting::Setting};
use queue::Storage;
use queue::worker::{Router, Worker, WorkerBuilder, WorkerReport};
use std::sync::Arc;
use tokio::{sync::watch, task::JoinSet};
use tokio_util::sync::CancellationToken;

/// What is tried besides the defaults, to see what they leave on the table. Each gives the calls of
/// the store many jobs to share, for all kinds of jobs.
pub(crate) const TUNED: &[Setting] =
    &[Setting::Prefetch(1000), Setting::Prefetch(4000), Setting::Concurrency(1000)];
/// The defaults of the worker, as its builder documents them.
pub(crate) const DEFAULTS: &str = "concurrency 64, prefetch by handler time, at most 1000 settles a call";

pub(crate) fn builder(storage: Arc<dyn Storage>, setting: Setting) -> anyhow::Result<WorkerBuilder> {
    let router = Router::new(()).handle("email", |_: serde_json::Value, _| async { Ok(()) })?;
    Ok(tuned(Worker::builder(storage, queue(), router), setting))
}

/// The same, with a count of the jobs that were handled: asking the store takes time from what is
/// measured.
pub(crate) fn counting(
    storage: Arc<dyn Storage>,
    setting: Setting,
    handled: HandledJobs,
) -> anyhow::Result<WorkerBuilder> {
    let router = Router::new(()).handle("email", move |_: serde_json::Value, _| {
        handled.0.send_modify(|count| *count += 1);
        async { Ok(()) }
    })?;
    Ok(tuned(Worker::builder(storage, queue(), router), setting))
}

fn tuned(builder: WorkerBuilder, setting: Setting) -> WorkerBuilder {
    match setting {
        Setting::Prefetch(jobs) => builder.prefetch(jobs),
        Setting::Concurrency(handlers) => builder.concurrency(handlers),
        _ => builder,
    }
}

/// How many jobs a handler has seen; what the store shows is asked in the end.
#[derive(Clone, Debug)]
pub(crate) struct HandledJobs(watch::Sender<usize>);

impl Default for HandledJobs {
    fn default() -> Self {
        Self(watch::Sender::new(0))
    }
}

impl HandledJobs {
    /// Waits until there were so many.
    pub(crate) async fn reach(&self, count: usize) {
        let mut seen = self.0.subscribe();
        // The sender is held here, so the wait cannot fail.
        drop(seen.wait_for(|handled| *handled >= count).await);
    }
}

/// A worker beside the measurement, which ends with it.
pub(crate) struct RunningWorker {
    stop: CancellationToken,
    run: JoinSet<WorkerReport>,
}

impl RunningWorker {
    pub(crate) fn start(worker: Worker) -> Self {
        let stop = worker.stop_token();
        let mut run = JoinSet::new();
        run.spawn(async move { worker.run().await });
        Self { stop, run }
    }

    pub(crate) async fn stop(self) {
        self.stop.cancel();
        self.run.join_all().await;
    }
}
