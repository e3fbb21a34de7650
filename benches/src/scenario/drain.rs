//! The scenario in which one worker finishes a preloaded queue, and the check that nothing is left.

use super::{
    job::{preload, queue},
    setting::Setting,
    worker::builder,
};
use crate::clock::now;
use anyhow::ensure;
use queue::queue_core::Retention;
use queue::{State, Storage};
use std::{sync::Arc, time::Duration};

/// Preloads, then lets one worker finish everything. The store's own counts are what is believed.
pub(super) async fn run(
    storage: Arc<dyn Storage>,
    setting: Setting,
    count: usize,
    retention: Retention,
) -> anyhow::Result<Duration> {
    preload(&*storage, count, retention).await?;
    let worker = builder(storage.clone(), setting)?.until_empty().build()?;
    let started = now();
    let report = worker.run().await;
    let elapsed = started.elapsed();
    ensure_drained(&*storage, count, retention).await?;
    ensure!(report.completed == count as u64, "the worker completed {} of {count}", report.completed);
    Ok(elapsed)
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
