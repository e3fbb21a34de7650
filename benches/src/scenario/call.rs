//! The scenario of calls: concurrent callers that enqueue a job and wait for its result.

use super::{job::queue, worker::RunningWorker};
use crate::{
    clock::now,
    figures::{Latencies, Reading},
    stopwatch::Stopwatch,
};
use anyhow::ensure;
use queue::{Id, Queue, Storage, WaitOptions};
use std::sync::Arc;
use tokio::task::JoinSet;

/// Enqueue, wait, result: by so many callers at once, of whom each waits for its answer before it
/// calls again.
pub(super) async fn run(
    storage: Arc<dyn Storage>,
    watch: Stopwatch,
    callers: usize,
    count: usize,
) -> anyhow::Result<Vec<Reading>> {
    let calls: Queue<u64, u64> = Queue::new(storage, queue().as_str())?;
    let running = RunningWorker::start(calls.work_with(|n, _| async move { Ok(n * 2) }).build()?);
    let started = watch.start();
    let mut all = Latencies::new();
    let mut running_callers = JoinSet::new();
    for _ in 0..callers {
        running_callers.spawn(caller(calls.clone(), count / callers));
    }
    while let Some(latencies) = running_callers.join_next().await {
        all.add(&latencies??);
    }
    let took = started.stop();
    running.stop().await;
    let latencies = all.figures(took.elapsed).into();
    Ok([latencies].into_iter().chain(took.costs(count / callers * callers)).collect())
}

async fn caller(calls: Queue<u64, u64>, count: usize) -> anyhow::Result<Latencies> {
    let mut latencies = Latencies::new();
    for number in 0..count as u64 {
        let sent = now();
        let answer = calls.enqueue_and_wait(Id::Generated, number, WaitOptions::default()).await?;
        latencies.note(sent.elapsed());
        ensure!(answer == number * 2, "{number} doubled is not {answer}");
    }
    Ok(latencies)
}
