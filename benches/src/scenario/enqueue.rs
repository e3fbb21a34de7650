use super::job::{job, queue};
use queue_core::{NewJob, Retention, Storage, TimeOrderedIds};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::task::JoinSet;

const PRODUCERS: usize = 64;
const BATCH: usize = 1000;

pub(super) async fn sequential(storage: Arc<dyn Storage>, jobs: usize) -> anyhow::Result<Duration> {
    let jobs = prepared(jobs);
    let started = now();
    one_by_one(storage, jobs).await?;
    Ok(started.elapsed())
}

pub(super) async fn concurrent(storage: Arc<dyn Storage>, jobs: usize) -> anyhow::Result<Duration> {
    let jobs = prepared(jobs);
    let started = now();
    let mut producers = JoinSet::new();
    for share in jobs.chunks(jobs.len().div_ceil(PRODUCERS)) {
        producers.spawn(one_by_one(storage.clone(), share.to_vec()));
    }
    while let Some(producer) = producers.join_next().await {
        producer??;
    }
    Ok(started.elapsed())
}

pub(super) async fn batched(storage: &dyn Storage, jobs: usize) -> anyhow::Result<Duration> {
    let batches: Vec<Vec<NewJob>> = prepared(jobs).chunks(BATCH).map(<[NewJob]>::to_vec).collect();
    let started = now();
    for batch in batches {
        storage.enqueue(&queue(), vec![batch]).await?;
    }
    Ok(started.elapsed())
}

async fn one_by_one(storage: Arc<dyn Storage>, jobs: Vec<NewJob>) -> anyhow::Result<()> {
    for job in jobs {
        storage.enqueue(&queue(), vec![vec![job]]).await?;
    }
    Ok(())
}

fn prepared(jobs: usize) -> Vec<NewJob> {
    let ids = TimeOrderedIds::default();
    (0..jobs).map(|number| job(&ids, number, Retention::default())).collect()
}

#[expect(clippy::disallowed_methods, reason = "a benchmark measures real time")]
pub(super) fn now() -> Instant {
    Instant::now()
}
