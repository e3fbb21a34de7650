use super::{
    Report, WorkerBuilder,
    dispatcher::Dispatcher,
    fetcher::Fetcher,
    heartbeat, maintenance,
    options::Options,
    settler::Settler,
    shared::{Observer, Shared, Signals},
};
use crate::{
    handler::{CancelReason, Context, JobError, SharedHandler},
    runtime::Handler,
    spawn::spawn,
};
use queue_core::{Payload, QueueName, Rng, Storage, WorkerId};
use std::{pin::pin, sync::Arc, time::Duration};
use tokio::{sync::mpsc, task::JoinHandle, time::timeout};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// How long a stopping worker waits for a store that does not answer.
const ANSWER_WAIT: Duration = Duration::from_secs(5);

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
    pub(super) shared: Arc<Shared>,
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
    /// thread cannot be dropped: wait for it in the handler, within the deadlines. A call that the store does not answer
    /// holds up the end for five more seconds: what is then unsettled is reported as abandoned, and lapses. The store
    /// stays open; it is yours.
    ///
    /// A part of the worker that panics, which is a bug here or in the store, stops the worker.
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
            part(&shared, heartbeat::run(shared.clone())),
            part(&shared, maintenance::run_rescue(shared.clone())),
            part(&shared, maintenance::run_prune(shared.clone())),
            part(&shared, maintenance::run_presence(shared.clone())),
        ];
        let foreground = [
            part(&shared, Fetcher::new(shared.clone(), jobs).run()),
            part(&shared, dispatcher.run(arriving)),
            part(&shared, Settler::new(shared.clone(), ended).run()),
        ];
        let Signals { stop, abort, cut_off, idle } = &shared.signals;
        stop.cancelled().await;
        drain(&shared, &running).await;
        join(foreground, &[(shared.options.grace, abort), (ANSWER_WAIT, cut_off)]).await;
        idle.cancel();
        join(background, &[(ANSWER_WAIT, cut_off)]).await;
        for job in shared.held_jobs() {
            shared.abandon(&job);
        }
        shared.report()
    }
}

/// Starts a part of the worker. One that panics stops the whole, which could not go on without it.
fn part(shared: &Shared, work: impl Future<Output = ()> + Send + 'static) -> JoinHandle<()> {
    let (stop, cut_off) = (shared.signals.stop.clone(), shared.signals.cut_off.clone());
    spawn(async move {
        let stop_all = stop.drop_guard();
        tokio::select! {
            biased;
            () = work => {}
            () = cut_off.cancelled() => {}
        }
        let _still_runs = stop_all.disarm();
    })
}

/// Lets handlers finish, and after the deadline asks them to.
async fn drain(shared: &Shared, running: &TaskTracker) {
    if timeout(shared.options.drain, running.wait()).await.is_err() {
        shared.held_jobs().iter().for_each(|job| job.cancel(CancelReason::Shutdown));
    }
}

/// Waits for parts of the worker to end, and each time the patience is over takes the next step against what holds
/// them up.
async fn join<const N: usize>(parts: [JoinHandle<()>; N], steps: &[(Duration, &CancellationToken)]) {
    let mut ended = pin!(join_all(parts));
    for (patience, step) in steps {
        if timeout(*patience, &mut ended).await.is_ok() {
            return;
        }
        step.cancel();
    }
    ended.await;
}

async fn join_all<const N: usize>(parts: [JoinHandle<()>; N]) {
    for part in parts {
        if let Err(error) = part.await {
            tracing::error!(%error, "a part of the worker panicked, which is a bug");
        }
    }
}
