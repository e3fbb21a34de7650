//! The scenario of steady load: a producer and a worker at once for a given time.

use super::{
    job::{jobs, queue},
    setting::Setting,
    worker::{HandledJobs, RunningWorker, counting},
};
use crate::{clock::now, figures::Figures};
use anyhow::ensure;
use queue::queue_core::Retention;
use queue::{State, Storage};
use std::{sync::Arc, time::Duration};

/// Jobs a call, and how many the producer may be ahead of the worker, so that neither runs away
/// from the other.
const BATCH: usize = 100;
const AHEAD_MAX: usize = 5000;

/// A producer and a worker at once, until everything is done that the producer sent in so many
/// milliseconds.
pub(super) async fn run(storage: Arc<dyn Storage>, length_ms: usize) -> anyhow::Result<Figures> {
    let length = Duration::from_millis(length_ms as u64);
    let handled = HandledJobs::default();
    let worker = counting(storage.clone(), Setting::Default, handled.clone())?.build()?;
    let started = now();
    let running = RunningWorker::start(worker);
    let mut sent = 0;
    while started.elapsed() < length {
        storage.enqueue(&queue(), vec![jobs(BATCH, Retention::default())]).await?;
        sent += BATCH;
        handled.reach(sent.saturating_sub(AHEAD_MAX)).await;
    }
    handled.reach(sent).await;
    running.stop().await;
    let elapsed = started.elapsed();
    let counts = storage.counts(&queue()).await?;
    let (completed, unfinished) = (counts.of(State::Completed), counts.unfinished());
    ensure!(completed == sent as u64 && unfinished == 0, "{completed} of {sent} jobs are completed");
    Ok(Figures::rate(sent, elapsed))
}
