//! Many jobs through one worker, whose records are removed when they are done: jobs per second, and
//! the memory that they leave behind.

use crate::{
    failed::{Failed, require},
    memory::{Baseline, no_task_is_left},
};
use clap::Args;
use queue::{
    JobOptions, Keep, Queue,
    worker::{Router, WorkerEvent, WorkerReport},
};
use std::sync::Arc;
use tokio::{sync::Semaphore, time::Instant};

/// The most unfinished jobs: a backlog would be memory in use rather than lost.
const BACKLOG_MAX: u32 = 10_000;
/// The jobs of one enqueue.
const BATCH: u32 = 1000;
/// The jobs that run uncounted before memory is measured.
const WARM_UP: u64 = 50_000;

#[derive(Args, Debug)]
pub(crate) struct JobsArgs {
    /// How many jobs to run after the warm-up, in thousands
    #[arg(long, default_value_t = 1_000_000)]
    jobs: u64,
    /// The store, which must be empty
    #[arg(long, default_value = "memory:")]
    store: String,
}

pub(crate) async fn run(settings: &JobsArgs) -> Result<(), Failed> {
    let storage = queue::open(&settings.store).await?;
    let queue: Queue<u64> = Queue::new(storage.clone(), "soak-jobs")?;
    let batches = settings.jobs.div_ceil(BATCH.into());
    let jobs = batches * u64::from(BATCH);
    println!("jobs: {jobs} through one worker on {}", storage.capabilities().name);
    let report = work(&queue, batches).await?;
    require(report.completed == jobs + WARM_UP, || format!("not every job completed: {report:?}"))?;
    require(report.started == report.completed, || format!("some jobs ran twice: {report:?}"))?;
    let left = queue.counts().await?.total();
    require(left == 0, || format!("{left} records are left"))?;
    drop(queue);
    storage.close().await?;
    drop(storage);
    no_task_is_left().await
}

async fn work(queue: &Queue<u64>, batches: u64) -> Result<WorkerReport, Failed> {
    let room = Arc::new(Semaphore::new(BACKLOG_MAX as usize));
    let done = room.clone();
    let router = Router::new(()).handle("default", |_: u64, _| async { Ok(()) })?;
    let worker = queue.worker(router).on_event(move |event| {
        if matches!(event, WorkerEvent::Completed(_)) {
            done.add_permits(1);
        }
    });
    let worker = worker.build()?;
    let stop = worker.stop_token();
    let produce = async {
        let _stop_whatever_happens = stop.drop_guard();
        produce(queue, &room, WARM_UP / u64::from(BATCH)).await?;
        let baseline = Baseline::take();
        let begun = Instant::now();
        produce(queue, &room, batches).await?;
        #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
        let rate = (batches * u64::from(BATCH)) as f64 / begun.elapsed().as_secs_f64();
        println!("  {rate:.0} jobs/s, {:.1?} in all", begun.elapsed());
        baseline.compare()
    };
    let (report, produced) = tokio::join!(worker.run(), produce);
    produced.map(|()| report)
}

/// Enqueues as the worker makes room, and waits until all jobs are done.
async fn produce(queue: &Queue<u64>, room: &Semaphore, batches: u64) -> Result<(), Failed> {
    let options = JobOptions::new().keep(Keep::Nothing);
    for _ in 0..batches {
        room.acquire_many(BATCH).await?.forget();
        let batch = (0..u64::from(BATCH)).map(|n| (queue::Id::Generated, n));
        queue.enqueue_many(batch, options.clone()).await?;
    }
    drop(room.acquire_many(BACKLOG_MAX).await?);
    Ok(())
}
