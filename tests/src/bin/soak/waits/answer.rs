//! The worker that answers the calls, in its own process or in this one.

use super::{exchange, mode::Mode, settings::WaitsArgs};
use crate::{failed::Failed, many::end_with_parent};
use clap::Args;
use queue::{
    QueueName, RetryPolicy, Storage,
    worker::{Context, Router, Worker},
};
use queue_testkit::fault::{FaultPlan, FaultStore, HintFault};
use std::{sync::Arc, time::Duration};

/// The time that jobs of a killed worker wait.
const LEASE: Duration = Duration::from_secs(1);
/// The interval at which a worker without hints polls.
const BLIND_POLL: Duration = Duration::from_millis(50);
const RETRY: Duration = Duration::from_millis(10);

/// The parameters of the answering side.
#[derive(Args, Clone, Debug)]
pub(crate) struct AnswerSettings {
    #[arg(long)]
    pub(super) store: String,
    #[arg(long)]
    pub(super) queue: String,
    #[arg(long)]
    pub(super) work_ms: u64,
    #[arg(long)]
    pub(super) mode: Mode,
}

impl AnswerSettings {
    pub(super) fn new(settings: &WaitsArgs, store: &str, queue: &str, mode: Mode) -> Self {
        Self { store: store.to_owned(), queue: queue.to_owned(), work_ms: settings.work_ms, mode }
    }

    /// The parameters as arguments of a process.
    pub(super) fn arguments(&self) -> [String; 9] {
        let Self { store, queue, work_ms, mode } = self;
        let (work_ms, mode) = (work_ms.to_string(), mode.to_string());
        let texts = ["answer", "--store", store, "--queue", queue, "--work-ms", &work_ms, "--mode", &mode];
        texts.map(str::to_owned)
    }
}

/// Runs a process that answers until it is killed, or until its parent has ended and the other end
/// of standard input is closed.
pub(crate) async fn answer(settings: AnswerSettings) -> Result<(), Failed> {
    end_with_parent()?;
    work(settings).await
}

/// Works for ever.
pub(super) async fn work(settings: AnswerSettings) -> Result<(), Failed> {
    let mut storage = queue::open(&settings.store).await?;
    let mut poll = None;
    if !settings.mode.has_hints() {
        let plan = FaultPlan::new(0).hints_one_in(1, HintFault::Drop);
        storage = Arc::new(FaultStore::new(storage, plan));
        poll = Some(BLIND_POLL);
    }
    worker(storage, &settings, poll)?.run().await;
    Ok(())
}

fn worker(
    storage: Arc<dyn Storage>,
    settings: &AnswerSettings,
    poll: Option<Duration>,
) -> Result<Worker, Failed> {
    let takes = Duration::from_millis(settings.work_ms);
    let router = Router::new(())
        .handle("default", move |n: u64, context: Context| exchange::handle(n, context, takes))?;
    let worker = Worker::builder(storage, QueueName::new(&settings.queue)?, router);
    let worker = worker.lease(LEASE).retry(RetryPolicy::Fixed(RETRY));
    Ok(poll.into_iter().fold(worker, queue::worker::WorkerBuilder::poll_interval).build()?)
}
