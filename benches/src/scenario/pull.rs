//! The scenario of pull mode: the processor time of claims by many callers, by one, and in batches.

use super::job::{preload, queue};
use crate::{
    figures::{Figures, Reading},
    processor,
};
use anyhow::ensure;
use queue::queue_core::{ClaimRequest, Retention, Span};
use queue::{Storage, SystemRng, WorkerId};
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::task::JoinSet;

/// Callers that pull at the same time.
const CALLERS: usize = 64;
/// Jobs of a large claim.
const LARGE: usize = 100;

/// Processor time of this process for each job that is claimed: one at a time by 64 callers at
/// once, one at a time by a single caller, and a hundred at a time. The first divided by the last
/// says what it costs to pull jobs singly.
pub(super) async fn run(storage: Arc<dyn Storage>, count: usize) -> anyhow::Result<Vec<Reading>> {
    let mut readings = Vec::new();
    for (part, callers, limit) in [("c64", CALLERS, 1), ("alone", 1, 1), ("hundreds", 1, LARGE)] {
        // A single caller waits for a commit each, so it gets fewer.
        let jobs = if part == "alone" { count / 10 } else { count } / LARGE * LARGE;
        preload(&*storage, jobs, Retention::default()).await?;
        let before = processor::time();
        claim_all(&storage, callers, limit, jobs).await?;
        let took: Duration = processor::time().saturating_sub(before);
        readings.push(Reading::part(part, Figures::processor(jobs, took)));
    }
    Ok(readings)
}

async fn claim_all(
    storage: &Arc<dyn Storage>,
    callers: usize,
    limit: usize,
    jobs: usize,
) -> anyhow::Result<()> {
    let left = Arc::new(AtomicUsize::new(jobs / limit));
    let mut running = JoinSet::new();
    for _ in 0..callers {
        running.spawn(caller(storage.clone(), limit, left.clone()));
    }
    while let Some(caller) = running.join_next().await {
        caller??;
    }
    Ok(())
}

/// Claims until as many claims were sent as there are jobs for.
async fn caller(storage: Arc<dyn Storage>, limit: usize, left: Arc<AtomicUsize>) -> anyhow::Result<()> {
    let one_less = |left: usize| left.checked_sub(1);
    while left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).is_ok() {
        let worker = WorkerId::from_static("bench");
        let request = ClaimRequest::new(queue(), worker, limit, Span::from_secs(3600), &SystemRng);
        let claimed = storage.claim(request).await?.jobs.len();
        ensure!(claimed == limit, "claimed {claimed} of {limit}");
    }
    Ok(())
}
