//! The scenario in which one worker finishes a preloaded queue, and the check that nothing is left.

use super::{
    job::{preload, queue},
    setting::Setting,
    worker::builder,
};
use crate::stopwatch::{Stopwatch, Took};
use anyhow::ensure;
use queue::queue_core::Retention;
use queue::{State, Storage};
use std::sync::Arc;

/// Preloads, then lets one worker finish everything. The store's own counts are what is believed.
pub(super) async fn run(
    storage: Arc<dyn Storage>,
    watch: Stopwatch,
    setting: Setting,
    count: usize,
    retention: Retention,
) -> anyhow::Result<Took> {
    preload(&*storage, count, retention).await?;
    let worker = builder(storage.clone(), setting)?.until_empty().build()?;
    let started = watch.start();
    let report = worker.run().await;
    let took = started.stop();
    ensure_drained(&*storage, count, retention).await?;
    ensure!(report.completed == count as u64, "the worker completed {} of {count}", report.completed);
    Ok(took)
}

pub(crate) async fn ensure_drained(
    storage: &dyn Storage,
    count: usize,
    retention: Retention,
) -> anyhow::Result<()> {
    let counts = storage.counts(&queue()).await?;
    let kept = if retention == Retention::Remove { 0 } else { count as u64 };
    ensure!(counts.unfinished() == 0 && counts.of(State::Completed) == kept, "not drained: {counts:?}");
    Ok(())
}
