use super::{
    Report, WorkerBuilder,
    dispatcher::Dispatcher,
    fetcher::Fetcher,
    heartbeat, maintenance,
    options::Options,
    settler::Settler,
    shared::{Observer, Shared},
};
use crate::{
    handler::{CancelReason, Context, JobError, SharedHandler},
    runtime::Handler,
    spawn::spawn,
};
use queue_core::{Payload, QueueName, Rng, Storage, WorkerId};
use std::{sync::Arc, time::Duration};
use tokio::{sync::mpsc, time::timeout};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// Runs the jobs of one queue.
///
/// ```
/// # use std::sync::Arc;
/// use queue_core::{ContentType, JobId, Kind, NewJob, Payload, QueueName, Storage};
/// use queue_worker::{Context, JobError, Router, Worker};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), queue_core::Error> {
/// let store = Arc::new(queue_memory::MemoryStorage::new());
/// let queue = QueueName::new("numbers")?;
/// let payload = Payload::new("20", ContentType::from_static("application/json"));
/// store.enqueue(&queue, vec![vec![NewJob::new(JobId::new("a")?, Kind::new("double")?, payload)]]).await?;
///
/// let router = Router::new(()).handle("double", |n: u32, _: Context| async move { Ok::<_, JobError>(n * 2) })?;
/// let worker = Worker::builder(store, queue, router).until_empty().build()?;
/// assert_eq!(worker.run().await.completed, 1);
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Worker {
    shared: Arc<Shared>,
    handler: SharedHandler,
}

impl Worker {
    /// Starts to build a worker; the defaults are the fast ones.
    pub fn builder<H>(storage: Arc<dyn Storage>, queue: QueueName, handler: H) -> WorkerBuilder
    where
        H: Handler<Context, Output = Payload, Error = JobError>,
    {
        WorkerBuilder::new(storage, queue, SharedHandler(Arc::new(handler)))
    }

    pub(super) fn new(
        storage: Arc<dyn Storage>,
        queue: QueueName,
        handler: SharedHandler,
        options: Options,
        id: WorkerId,
        rng: Arc<dyn Rng>,
        observer: Observer,
    ) -> Self {
        let shared = Arc::new(Shared::new(storage, queue, id, options, rng, observer));
        Self { shared, handler }
    }

    /// The name under which it holds leases.
    pub fn id(&self) -> &WorkerId {
        &self.shared.id
    }

    /// Cancel this to stop the worker in steps; see [`run`](Self::run).
    pub fn stop_token(&self) -> CancellationToken {
        self.shared.signals.stop.clone()
    }

    /// Works until it is stopped, and answers what it did. It never fails: what the store refuses is reported as an
    /// event and tried again.
    ///
    /// A stop goes in steps. Nothing more is claimed, and jobs that have not started are given back uncharged. Running
    /// handlers go on until the drain deadline, then their cancel tokens fire, and after the grace those that still
    /// run are dropped at their next await and their jobs given back uncharged. Work that a handler moved to a blocking
    /// thread cannot be dropped: wait for it in the handler, within the deadlines. The store stays open; it is yours.
    ///
    /// Dropping the future is no way to stop: parts of the worker go on without supervision until the runtime ends.
    pub async fn run(self) -> Report {
        let shared = self.shared;
        let (jobs, arriving) = mpsc::unbounded_channel();
        let (settlements, ended) = mpsc::unbounded_channel();
        let running = TaskTracker::new();
        let dispatcher = Dispatcher {
            shared: shared.clone(),
            handler: self.handler,
            settlements,
            running: running.clone(),
        };
        let background = [
            spawn(heartbeat::run(shared.clone())),
            spawn(maintenance::run_rescue(shared.clone())),
            spawn(maintenance::run_prune(shared.clone())),
            spawn(maintenance::run_presence(shared.clone())),
        ];
        let foreground = [
            spawn(Fetcher::new(shared.clone(), jobs).run()),
            spawn(dispatcher.run(arriving)),
            spawn(Settler::new(shared.clone(), ended).run()),
        ];
        shared.signals.stop.cancelled().await;
        drain(&shared, &running).await;
        join(foreground).await;
        shared.signals.idle.cancel();
        join(background).await;
        shared.report()
    }
}

/// Lets handlers finish, then asks them to, then drops them.
async fn drain(shared: &Shared, running: &TaskTracker) {
    if finished(running, shared.options.drain).await {
        return give_up_settles_later(shared);
    }
    shared.held_jobs().iter().for_each(|job| job.cancel(CancelReason::Shutdown));
    let _in_time = finished(running, shared.options.grace).await;
    shared.signals.abort.cancel();
}

async fn finished(running: &TaskTracker, within: Duration) -> bool {
    timeout(within, running.wait()).await.is_ok()
}

/// Settles of a failing store get the grace, and no longer.
fn give_up_settles_later(shared: &Shared) {
    let (abort, idle, grace) =
        (shared.signals.abort.clone(), shared.signals.idle.clone(), shared.options.grace);
    spawn(async move {
        if timeout(grace, idle.cancelled()).await.is_err() {
            abort.cancel();
        }
    });
}

async fn join<const N: usize>(parts: [tokio::task::JoinHandle<()>; N]) {
    for part in parts {
        if let Err(error) = part.await {
            tracing::error!(%error, "a part of the worker panicked, which is a bug");
        }
    }
}
