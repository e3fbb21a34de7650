//! The scenarios of latency until a handler starts: after an enqueue, and after the due time of a
//! delayed job.

use super::{
    job::{job, payload, queue},
    setting::Setting,
    worker::RunningWorker,
};
use crate::{
    clock::now,
    figures::{Figures, Latencies},
};
use anyhow::Context as _;
use queue::queue_core::{Retention, Span};
use queue::worker::{Router, Worker};
use queue::{Storage, TimeOrderedIds};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::sync::mpsc;

/// A worker whose handler reports when it starts.
struct ReportingWorker {
    worker: Worker,
    starts: mpsc::UnboundedReceiver<(u64, Instant)>,
}

fn reporting(storage: Arc<dyn Storage>) -> anyhow::Result<ReportingWorker> {
    let (tell, starts) = mpsc::unbounded_channel();
    let router = Router::new(()).handle("email", move |payload: serde_json::Value, _| {
        let _told = tell.send((payload["n"].as_u64().unwrap_or(u64::MAX), now()));
        async { Ok(()) }
    })?;
    Ok(ReportingWorker { worker: Worker::builder(storage, queue(), router).build()?, starts })
}

/// An idle worker: from the call of enqueue to the start of the handler, one job after the other.
pub(super) async fn run(storage: Arc<dyn Storage>, count: usize) -> anyhow::Result<Figures> {
    let ReportingWorker { worker, mut starts } = reporting(storage.clone())?;
    let ids = TimeOrderedIds::default();
    let running = RunningWorker::start(worker);
    let mut latencies = Latencies::new();
    let began = now();
    for number in 0..count {
        let job = job(&ids, &payload(number), Retention::default());
        let sent = now();
        storage.enqueue(&queue(), vec![vec![job]]).await?;
        let (_, started) = starts.recv().await.context("the worker ended")?;
        latencies.note(started.saturating_duration_since(sent));
        // Its settle is over before the next job comes, so that the worker is idle.
        tokio::time::sleep(SETTLED).await;
    }
    let figures = latencies.figures(began.elapsed());
    running.stop().await;
    Ok(figures)
}

const SETTLED: Duration = Duration::from_millis(2);

/// Jobs due at times spread over two seconds: from the due time to the start of the handler.
pub(super) async fn delayed(storage: Arc<dyn Storage>, _: Setting, count: usize) -> anyhow::Result<Figures> {
    const FIRST_MS: usize = 1000;
    const SPREAD_MS: usize = 2000;
    let ReportingWorker { worker, mut starts } = reporting(storage.clone())?;
    let ids = TimeOrderedIds::default();
    let delay_ms = |number: usize| FIRST_MS + number * SPREAD_MS / count;
    let jobs = (0..count).map(|number| {
        let delay = Span::from_millis(i64::try_from(delay_ms(number)).unwrap_or(0));
        job(&ids, &payload(number), Retention::default()).with_delay(delay)
    });
    let jobs = jobs.collect();
    let stored = now();
    storage.enqueue(&queue(), vec![jobs]).await?;
    let running = RunningWorker::start(worker);
    let mut latencies = Latencies::new();
    for _ in 0..count {
        let (number, started) = starts.recv().await.context("the worker ended")?;
        // Counted from before the call, so the figure holds the call itself too.
        let due = stored + Duration::from_millis(delay_ms(usize::try_from(number)?) as u64);
        latencies.note(started.saturating_duration_since(due));
    }
    let figures = latencies.figures(stored.elapsed());
    running.stop().await;
    Ok(figures)
}
