//! The scenario of a long run: a producer and a worker at once, with samples of the memory in use.

use super::{
    job::{jobs, queue},
    setting::Setting,
    worker::{HandledJobs, RunningWorker, counting},
};
use crate::{clock::now, figures::Figures, resident::resident_bytes};
use anyhow::ensure;
use queue::Storage;
use queue::queue_core::NewJob;
use queue::queue_core::{Retention, Span};
use std::{sync::Arc, time::Duration};

/// Jobs a call, and how many the producer may be ahead of the worker: a backlog would be memory in
/// use, not memory lost.
const BATCH: usize = 100;
const AHEAD_MAX: usize = 5000;
/// One job of each batch leaves a record for this long, so that pruning is a part of the run.
const KEPT: Retention = Retention::Keep(Span::from_secs(10));
const PRUNE_EVERY: Duration = Duration::from_secs(5);
/// Looks at the memory.
const SAMPLES: u32 = 60;

/// A producer and a worker at once for so many milliseconds; how much memory this process holds
/// meanwhile.
pub(super) async fn run(storage: Arc<dyn Storage>, length_ms: usize) -> anyhow::Result<Figures> {
    let length = Duration::from_millis(length_ms as u64);
    let handled = HandledJobs::default();
    let worker = counting(storage.clone(), Setting::Default, handled.clone())?;
    let started = now();
    let running = RunningWorker::start(worker.prune_interval(PRUNE_EVERY).build()?);
    let mut sent = 0;
    let mut resident = Vec::new();
    while started.elapsed() < length {
        if started.elapsed() >= length * u32::try_from(resident.len())? / SAMPLES {
            resident.push(resident_bytes());
        }
        storage.enqueue(&queue(), vec![batch()]).await?;
        sent += BATCH;
        handled.reach(sent.saturating_sub(AHEAD_MAX)).await;
    }
    handled.reach(sent).await;
    running.stop().await;
    let elapsed = started.elapsed();
    let unfinished = storage.counts(&queue()).await?.unfinished();
    ensure!(unfinished == 0, "{unfinished} of {sent} jobs are not finished");
    ensure!(resident.iter().all(|&bytes| bytes > 0), "this system does not say how much memory is in use");
    Ok(Figures::memory(sent, elapsed, resident))
}

fn batch() -> Vec<NewJob> {
    let mut batch = jobs(BATCH, Retention::Remove);
    batch[0] = batch[0].clone().with_retention(KEPT);
    batch
}
