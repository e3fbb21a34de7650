//! The scenario of a deep queue: claims, settles and a worker beside a large backlog.

use super::{
    job::{self, completion, decided, preload, queue},
    setting::Setting,
    worker::{HandledJobs, RunningWorker, counting},
};
use crate::{
    clock::now,
    figures::{Figures, Latencies, Reading},
};
use anyhow::ensure;
use queue::queue_core::{Applied, Claimed, Retention, lifecycle::Transition};
use queue::{State, Storage};
use std::{sync::Arc, time::Duration};

/// Jobs claimed and settled in one measured step.
const STEP: usize = 100;
/// Steps until the backlog is filled up again, so that it stays about what it is said to be.
const STEPS_MAX: usize = 10;

/// What a claim, a settle and a worker cost while so many others wait. Answers the rate of a worker
/// with the default settings, and the latencies of a claim and a settle of 100 jobs.
pub(super) async fn run(
    storage: Arc<dyn Storage>,
    backlog: usize,
    count: usize,
) -> anyhow::Result<Vec<Reading>> {
    preload(&*storage, backlog + count, Retention::default()).await?;
    let worker = work(&storage, count).await?;
    let (mut claims, mut settles) = (Latencies::new(), Latencies::new());
    let (mut claiming, mut settling) = (Duration::ZERO, Duration::ZERO);
    for step in 0..(count / STEP / 2).max(STEPS_MAX) {
        if step % STEPS_MAX == 0 {
            preload(&*storage, STEPS_MAX * STEP, Retention::default()).await?;
        }
        let sent = now();
        let claimed = claim(&*storage).await?;
        let took = sent.elapsed();
        claims.note(took);
        claiming += took;
        let settle = complete(&claimed)?;
        let sent = now();
        let applied = storage.apply(settle).await?.value;
        let took = sent.elapsed();
        settles.note(took);
        settling += took;
        ensure!(applied.iter().all(Applied::is_done), "a settle was refused");
    }
    let (claims, settles) = (claims.figures(claiming), settles.figures(settling));
    Ok(vec![worker.into(), Reading::part("claim", claims), Reading::part("settle", settles)])
}

/// Lets a worker take the first `count` jobs, and a few more that it has in hand when it is
/// stopped. Only what the store then shows as completed counts.
async fn work(storage: &Arc<dyn Storage>, count: usize) -> anyhow::Result<Figures> {
    let handled = HandledJobs::default();
    let worker = counting(storage.clone(), Setting::Default, handled.clone())?.build()?;
    let started = now();
    let running = RunningWorker::start(worker);
    handled.reach(count).await;
    running.stop().await;
    let elapsed = started.elapsed();
    let completed = storage.counts(&queue()).await?.of(State::Completed);
    ensure!(completed >= count as u64, "{completed} of {count} jobs are completed");
    Ok(Figures::rate(usize::try_from(completed)?, elapsed))
}

async fn claim(storage: &dyn Storage) -> anyhow::Result<Claimed> {
    let claimed = job::claim(storage, STEP).await?;
    ensure!(claimed.jobs.len() == STEP, "claimed {} of {STEP}", claimed.jobs.len());
    Ok(claimed)
}

fn complete(claimed: &Claimed) -> anyhow::Result<Vec<Transition>> {
    claimed.jobs.iter().map(|held| decided(held, completion(held))).collect()
}
