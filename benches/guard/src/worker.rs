//! Jobs through a worker, from the claim to the stored outcome, without listeners of its spans and
//! events.

use crate::{
    counted::{Work, counted_section},
    job::{jobs, queue},
};
use queue_core::{SeededRng, Storage as _, WorkerId};
use queue_memory::MemoryStorage;
use queue_worker::{Context, Router, TokioClock, Worker};
use std::sync::Arc;
use tokio::runtime::Builder;

/// A job is a step.
pub(crate) fn run(work: Work) -> anyhow::Result<()> {
    let runtime = Builder::new_current_thread().enable_time().start_paused(true).build()?;
    let count = work.steps().len();
    let worker = runtime.block_on(worker(count))?;
    let mut report = None;
    counted_section(vec![worker], |worker| report = Some(runtime.block_on(worker.run())));
    anyhow::ensure!(report.as_ref().is_some_and(|report| report.completed == count as u64), "{report:?}");
    Ok(())
}

async fn worker(count: usize) -> anyhow::Result<Worker> {
    let store = Arc::new(MemoryStorage::with_clock(Arc::new(TokioClock::default())));
    store.enqueue(&queue(), vec![jobs(0, count)?]).await?;
    let handle = |_: serde::de::IgnoredAny, _: Context| async { Ok(()) };
    let builder = Worker::builder(store, queue(), Router::new(()).handle("email", handle)?);
    let builder = builder.id(WorkerId::from_static("guard")).rng(Arc::new(SeededRng::new(7)));
    Ok(builder.until_empty().build()?)
}
