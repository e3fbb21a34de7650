//! The scenario of reads for people: pages, counts, queues and single jobs among many records.

use super::job::{BATCH, claim, completion, decided, job, payload, preload, queue};
use crate::{
    bed::Bed,
    clock::now,
    engine,
    figures::{Latencies, Reading},
};
use anyhow::{Context, ensure};
use queue::queue_core::{
    Applied, ClaimedJob, Detail, Direction, ListQuery, QueuesQuery, Retention, Walk,
    lifecycle::{Cause, Event, Transition},
};
use queue::{Failure, JobId, QueueName, State, Storage, StorageExt, TimeOrderedIds};

/// Failed jobs, spread evenly among the records.
const FAILED: usize = 100;
/// Jobs of the small queue beside them.
const SMALL: usize = 10;
/// Jobs of a page.
const PAGE: usize = 50;

/// What people look at, while so many records are stored: all completed, except a hundred that
/// failed.
pub(super) async fn run(bed: &Bed, records: usize, count: usize) -> anyhow::Result<Vec<Reading>> {
    let storage = &*bed.storage;
    let small = QueueName::from_static("small");
    preload(storage, records, Retention::Forever).await?;
    finish(storage, records).await?;
    let ids = TimeOrderedIds::default();
    let few = (0..SMALL).map(|number| job(&ids, &payload(number), Retention::Forever)).collect();
    storage.enqueue(&small, vec![few]).await?;

    let newest = |queue, state| ListQuery::new(queue, Walk::State(state, Direction::NewestFirst), PAGE);
    let failed = newest(queue(), State::Failed);
    let found = storage.list(failed.clone()).await?.jobs;
    ensure!(found.len() == PAGE, "{} failed jobs are on the first page", found.len());
    let shown = found.first().context("a page of jobs")?.id.clone();
    let waiting = newest(small, State::Queued);
    let is_counted = async || Ok(storage.counts(&queue()).await?.total() == records as u64);
    let at_once = timed("counts, at once", count, is_counted).await?;
    engine::tidy(bed).await?;
    Ok(vec![
        at_once,
        timed("page of failed", count, async || Ok(storage.list(failed.clone()).await?.jobs.len() == PAGE))
            .await?,
        timed("page of a small queue", count, async || {
            Ok(storage.list(waiting.clone()).await?.jobs.len() == SMALL)
        })
        .await?,
        timed("counts", count, is_counted).await?,
        timed("queues", count, async || Ok(storage.queues(QueuesQuery::all(PAGE)).await?.queues.len() == 2))
            .await?,
        timed("one job", count, async || {
            let ids = std::slice::from_ref(&shown);
            Ok(storage.get(&queue(), ids, Detail::Full).await?.value.iter().flatten().count() == 1)
        })
        .await?,
        timed("its attempts", count, async || has_attempt(storage, &shown).await).await?,
    ])
}

async fn has_attempt(storage: &dyn Storage, id: &JobId) -> anyhow::Result<bool> {
    let told = storage.attempts_of(&queue(), id).await?.value;
    Ok(told.is_some_and(|told| told.attempts.len() == 1))
}

/// Reads one after the other, each of which must find what is there.
async fn timed(
    part: &str,
    count: usize,
    read: impl AsyncFn() -> anyhow::Result<bool>,
) -> anyhow::Result<Reading> {
    let mut latencies = Latencies::new();
    let started = now();
    for _ in 0..count {
        let sent = now();
        let is_right = read().await?;
        latencies.note(sent.elapsed());
        ensure!(is_right, "{part}: it tells of something else than is stored");
    }
    Ok(Reading::part(part, latencies.figures(started.elapsed())))
}

/// Has every job completed, except for those that fail.
async fn finish(storage: &dyn Storage, records: usize) -> anyhow::Result<()> {
    let each = records / FAILED;
    let mut seen = 0;
    while seen < records {
        let claimed = claim(storage, BATCH).await?.jobs;
        ensure!(!claimed.is_empty(), "{seen} of {records} jobs could be claimed");
        let settles = claimed.iter().enumerate().map(|(n, job)| settle(job, (seen + n).is_multiple_of(each)));
        let applied = storage.apply(settles.collect::<Result<_, _>>()?).await?.value;
        ensure!(applied.iter().all(Applied::is_done), "a settle was refused");
        seen += claimed.len();
    }
    Ok(())
}

fn settle(job: &ClaimedJob, fails: bool) -> anyhow::Result<Transition> {
    if !fails {
        return decided(job, completion(job));
    }
    let failure = Failure::new("Refused", "the mailbox is full");
    let event = Event::Fail {
        token: job.token,
        failure,
        cause: Cause::Terminal,
        delay: None,
        retention: None,
        then: Vec::new(),
    };
    decided(job, event)
}
