//! The worker of the measurements: one handler that does nothing.

use super::{job::queue, setting::Setting};
use queue::Storage;
use queue::worker::{Context, JobError, Report, Router, Worker, WorkerBuilder};
use std::sync::Arc;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// What `tuned` means: room for more jobs, so that each call of the store settles and claims more of them. Right for
/// jobs that take microseconds, and wasteful for long ones, since whatever one worker holds no other can take.
const TUNED_PREFETCH: usize = 4000;

pub(crate) fn builder(storage: Arc<dyn Storage>, setting: Setting) -> anyhow::Result<WorkerBuilder> {
    let router = Router::new(())
        .handle("email", |_: serde_json::Value, _: Context| async { Ok::<_, JobError>(()) })?;
    let builder = Worker::builder(storage, queue(), router);
    Ok(if setting == Setting::Tuned { builder.prefetch(TUNED_PREFETCH) } else { builder })
}

/// A worker beside the measurement, which ends with it.
pub(crate) struct Running {
    stop: CancellationToken,
    run: JoinSet<Report>,
}

impl Running {
    pub(crate) fn start(worker: Worker) -> Self {
        let (stop, mut run) = (worker.stop_token(), JoinSet::new());
        run.spawn(async move { worker.run().await });
        Self { stop, run }
    }

    pub(crate) async fn stop(self) {
        self.stop.cancel();
        self.run.join_all().await;
    }
}
