//! The scenarios of producers: one caller, many callers at once, and batches.

use super::job::{BATCH, jobs, queue};
use crate::stopwatch::{Stopwatch, Took};
use queue::Storage;
use queue::queue_core::NewJob;
use queue::queue_core::Retention;
use std::sync::Arc;
use tokio::task::JoinSet;

const PRODUCERS: usize = 64;

pub(super) async fn sequential(
    storage: Arc<dyn Storage>,
    watch: Stopwatch,
    count: usize,
) -> anyhow::Result<Took> {
    let jobs = jobs(count, Retention::default());
    let started = watch.start();
    one_by_one(storage, jobs).await?;
    Ok(started.stop())
}

pub(crate) async fn concurrent(
    storage: Arc<dyn Storage>,
    watch: Stopwatch,
    count: usize,
) -> anyhow::Result<Took> {
    // Dealt in turn, so that ids grow with time as those do that a client draws at its call.
    let mut shares = vec![Vec::new(); PRODUCERS];
    for (number, job) in jobs(count, Retention::default()).into_iter().enumerate() {
        shares[number % PRODUCERS].push(job);
    }
    let started = watch.start();
    let mut producers = JoinSet::new();
    for share in shares {
        producers.spawn(one_by_one(storage.clone(), share));
    }
    while let Some(producer) = producers.join_next().await {
        producer??;
    }
    Ok(started.stop())
}

pub(super) async fn batched(storage: &dyn Storage, watch: Stopwatch, count: usize) -> anyhow::Result<Took> {
    let jobs = jobs(count, Retention::default());
    let batches: Vec<Vec<NewJob>> = jobs.chunks(BATCH).map(<[NewJob]>::to_vec).collect();
    let started = watch.start();
    for batch in batches {
        storage.enqueue(&queue(), vec![batch]).await?;
    }
    Ok(started.stop())
}

async fn one_by_one(storage: Arc<dyn Storage>, jobs: Vec<NewJob>) -> anyhow::Result<()> {
    for job in jobs {
        storage.enqueue(&queue(), vec![vec![job]]).await?;
    }
    Ok(())
}
