use super::{
    job::{jobs, queue},
    setting::Setting,
    worker::{Running, builder},
};
use crate::{clock::now, figures::Figures};
use anyhow::ensure;
use queue::{Retention, State, Storage};
use std::{sync::Arc, time::Duration};

/// How long the producer goes on.
const LENGTH: Duration = Duration::from_secs(10);
/// Jobs a call, and how many the producer may be ahead of the worker, so that neither runs away from the other.
const BATCH: usize = 100;
const AHEAD_MAX: u64 = 5000;

/// A producer and a worker at once, until everything that the producer sent in ten seconds is done.
pub(super) async fn run(storage: Arc<dyn Storage>) -> anyhow::Result<Figures> {
    let worker = builder(storage.clone(), Setting::Default)?.build()?;
    let started = now();
    let running = Running::start(worker);
    let mut sent = 0;
    while started.elapsed() < LENGTH {
        if storage.counts(&queue()).await?.unfinished() < AHEAD_MAX {
            for _ in 0..10 {
                storage.enqueue(&queue(), vec![jobs(BATCH, Retention::default())]).await?;
                sent += BATCH;
            }
        } else {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
    while storage.counts(&queue()).await?.unfinished() > 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let elapsed = started.elapsed();
    running.stop().await;
    let completed = storage.counts(&queue()).await?.of(State::Completed);
    ensure!(completed == sent as u64, "{completed} of {sent} jobs are completed");
    Ok(Figures::rate(sent, elapsed))
}
