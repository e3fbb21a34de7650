//! The processes that work for runs with gates and batches, until they are killed.

use super::{QUEUE, Runner, StorePlace, YieldingStore, end_with_parent, payload_text};
use crate::failed::{Failed, require};
use clap::Args;
use queue::{
    JobId, Kind, Queue, Storage,
    batches::BatchEnd,
    queue_core::{Budget, ContentType, Enqueued, NewJob, Payload, QueueName, Retention},
    worker::{Context, JobError, Router},
};
use serde::{Deserialize, Serialize};
use std::{sync::Arc, time::Duration};

/// The kind of a job that completes.
pub(crate) const COMPLETES: &str = "completes";
/// The kind of a job that fails.
pub(crate) const FAILS: &str = "fails";
/// The kind of a job that waits for its members.
pub(crate) const WAITS: &str = "waits";
/// The kind of the callback of a batch.
pub(crate) const REPORTS: &str = "reports";

/// One job in this number fails.
pub(crate) const FAILS_ONE_IN: u64 = 10;
/// What a process that is killed holds runs again after this time.
const LEASE: Duration = Duration::from_secs(3);
const CONCURRENCY: usize = 64;

/// How many members of a batch complete, and how many fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Expected {
    pub(crate) completed: u64,
    pub(crate) failed: u64,
}

/// The store of a process that works.
#[derive(Args, Debug)]
pub(crate) struct WorkerArgs {
    #[arg(long)]
    store: String,
}

impl Expected {
    /// How the jobs before this number end.
    pub(crate) fn of(jobs: u64) -> Self {
        let failed = jobs / FAILS_ONE_IN;
        Self { completed: jobs - failed, failed }
    }
}

/// The job with this number, of a kind that completes or of the one that fails.
pub(crate) fn numbered_job(number: u64) -> NewJob {
    let id = JobId::new(format!("job-{number:08}")).expect("digits are allowed");
    let fails = number % FAILS_ONE_IN == FAILS_ONE_IN - 1;
    kept_job(id, if fails { FAILS } else { COMPLETES }, number)
}

/// A job that is kept for ever, as members are. It may lose any number of workers: among a million
/// some lose several.
pub(crate) fn kept_job(id: JobId, kind: &'static str, number: u64) -> NewJob {
    let payload =
        Payload::new(format!("{:?}", payload_text(number)), ContentType::from_static("application/json"));
    NewJob::new(id, Kind::from_static(kind), payload)
        .with_retention(Retention::Forever)
        .with_max_stalls(Budget::Unlimited)
}

/// Stores jobs that are all new.
pub(crate) async fn store(storage: &dyn Storage, jobs: Vec<NewJob>) -> Result<(), Failed> {
    let groups = jobs.into_iter().map(|job| vec![job]).collect();
    let answers = storage.enqueue(&QueueName::from_static(QUEUE), groups).await?.value;
    let other = answers.into_iter().flatten().find(|answer| !matches!(answer, Enqueued::Queued { .. }));
    require(other.is_none(), || format!("a new job was answered {other:?}"))
}

/// Starts a process that works on a store, or a runtime where the store is in this process.
pub(crate) fn start_worker(storage: &Arc<dyn Storage>, place: &StorePlace) -> Result<Runner, Failed> {
    if place.kind.is_shared() {
        Runner::process(&["worker", "--store", &place.url])
    } else {
        Runner::runtime(work(Arc::new(YieldingStore(storage.clone()))))
    }
}

/// Works until it is killed.
pub(crate) async fn run_worker(settings: WorkerArgs) -> Result<(), Failed> {
    end_with_parent()?;
    work(queue::open(&settings.store).await?).await
}

/// Handles jobs until it is killed. A job behind a gate fails if that is not complete, and the
/// callback of a batch if other members were counted than it expects.
async fn work(storage: Arc<dyn Storage>) -> Result<(), Failed> {
    let queue: Queue<String> = Queue::new(storage, QUEUE)?;
    let router = Router::new(())
        .handle(COMPLETES, |_: String, _| async { Ok(()) })?
        .handle(FAILS, |_: String, _| async { Err::<(), _>(JobError::terminal("as it should")) })?
        .handle(WAITS, |_: String, context: Context| async move {
            let gate = context.meta().gate.as_deref().copied().unwrap_or_default();
            if gate.is_complete() { Ok(()) } else { Err(JobError::terminal(format!("early: {gate:?}"))) }
        })?
        .handle(REPORTS, |end: BatchEnd<Expected>, _| async move {
            let Expected { completed, failed } = end.payload;
            let counted = (end.added, end.completed, end.failed, end.cancelled);
            let is_right = counted == (completed + failed, completed, failed, 0) && !end.timed_out;
            if is_right { Ok(()) } else { Err(JobError::terminal(format!("counted otherwise: {end:?}"))) }
        })?;
    let every = Duration::from_millis(500);
    let worker = queue.worker(router).concurrency(CONCURRENCY).lease(LEASE);
    worker.rescue_interval(every).poll_interval(every).build()?.run().await;
    Ok(())
}
