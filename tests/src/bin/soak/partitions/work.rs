//! The processes that work, and write down what their handlers do.

use super::{Jobs, PartitionsArgs, handler_log::HandlerLog};
use crate::{
    failed::Failed,
    many::{QUEUE, Runner, StorePlace, YieldingStore, end_with_parent},
};
use clap::Args;
use queue::{Rng, Storage, SystemRng, worker::Context};
use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    time::Duration,
};
use tempfile::TempDir;
use tokio::time::sleep;

const CONCURRENCY: usize = 16;

/// The store of a process that works, and its log.
#[derive(Args, Clone, Debug)]
pub(crate) struct WorkerArgs {
    #[arg(long)]
    store: String,
    #[arg(long)]
    log: PathBuf,
    #[arg(long)]
    lease_ms: u64,
    #[arg(long)]
    work_ms: u64,
}

/// Starts processes that work on a store, or runtimes where the store is in this process.
#[derive(Debug)]
pub(super) struct Starter<'a> {
    storage: &'a Arc<dyn Storage>,
    place: &'a StorePlace,
    settings: &'a PartitionsArgs,
    logs: TempDir,
    started: AtomicUsize,
}

impl<'a> Starter<'a> {
    pub(super) fn new(
        storage: &'a Arc<dyn Storage>,
        place: &'a StorePlace,
        settings: &'a PartitionsArgs,
    ) -> Result<Self, Failed> {
        Ok(Self { storage, place, settings, logs: TempDir::new()?, started: AtomicUsize::new(0) })
    }

    pub(super) fn start(&self) -> Result<Runner, Failed> {
        let log = self.log_of(self.started.fetch_add(1, SeqCst));
        let PartitionsArgs { lease_ms, work_ms, .. } = *self.settings;
        if self.place.kind.is_shared() {
            let log = log.to_str().ok_or("a path that is no text")?;
            let (lease_ms, work_ms) = (lease_ms.to_string(), work_ms.to_string());
            let url = &self.place.url;
            let arguments = ["--store", url, "--log", log, "--lease-ms", &lease_ms, "--work-ms", &work_ms];
            Runner::process(&[&["partition-worker"], &arguments[..]].concat())
        } else {
            let args = WorkerArgs { store: String::new(), log, lease_ms, work_ms };
            Runner::runtime(work(Arc::new(YieldingStore(self.storage.clone())), args))
        }
    }

    /// The logs of all that were started, in order.
    pub(super) fn logs(&self) -> impl Iterator<Item = PathBuf> {
        (0..self.started.load(SeqCst)).map(|number| self.log_of(number))
    }

    fn log_of(&self, number: usize) -> PathBuf {
        self.logs.path().join(format!("{number}.log"))
    }
}

/// Works until it is killed.
pub(crate) async fn run_worker(settings: WorkerArgs) -> Result<(), Failed> {
    end_with_parent()?;
    work(queue::open(&settings.store).await?, settings).await
}

async fn work(storage: Arc<dyn Storage>, settings: WorkerArgs) -> Result<(), Failed> {
    let queue = Jobs::new(storage, QUEUE)?;
    let log = HandlerLog::create(Path::new(&settings.log))?;
    let work_ms = settings.work_ms;
    let worker = queue.work_with(move |(), context: Context| {
        let log = log.clone();
        async move {
            let handler = log.begin(context.meta())?;
            sleep(Duration::from_millis(SystemRng.next_u64() % (2 * work_ms + 1))).await;
            handler.end()?;
            Ok(())
        }
    });
    let every = Duration::from_millis(500);
    let worker = worker.concurrency(CONCURRENCY).lease(Duration::from_millis(settings.lease_ms));
    worker.rescue_interval(every).poll_interval(every).build()?.run().await;
    Ok(())
}
