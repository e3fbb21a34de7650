use super::{
    enqueue::now,
    job::{job, queue},
};
use anyhow::ensure;
use queue_core::{NewJob, Retention, State, Storage, TimeOrderedIds};
use queue_worker::{Context, JobError, Router, Worker};
use std::{sync::Arc, time::Duration};

const BATCH: usize = 1000;

/// Preloads, then lets one worker at its defaults finish everything. The store's own counts are what is believed.
pub(super) async fn run(
    storage: Arc<dyn Storage>,
    jobs: usize,
    retention: Retention,
) -> anyhow::Result<Duration> {
    preload(&*storage, jobs, retention).await?;
    let router = Router::new(())
        .handle("email", |_: serde_json::Value, _: Context| async { Ok::<_, JobError>(()) })?;
    let worker = Worker::builder(storage.clone(), queue(), router).until_empty().build()?;
    let started = now();
    let report = worker.run().await;
    let elapsed = started.elapsed();
    let counts = storage.counts(&queue()).await?;
    let kept = if retention == Retention::Remove { 0 } else { jobs as u64 };
    ensure!(counts.unfinished() == 0 && counts.of(State::Completed) == kept, "not drained: {counts:?}");
    ensure!(report.completed == jobs as u64, "the worker completed {} of {jobs}", report.completed);
    Ok(elapsed)
}

async fn preload(storage: &dyn Storage, jobs: usize, retention: Retention) -> anyhow::Result<()> {
    let ids = TimeOrderedIds::default();
    let jobs: Vec<NewJob> = (0..jobs).map(|number| job(&ids, number, retention)).collect();
    for batch in jobs.chunks(BATCH) {
        storage.enqueue(&queue(), vec![batch.to_vec()]).await?;
    }
    Ok(())
}
