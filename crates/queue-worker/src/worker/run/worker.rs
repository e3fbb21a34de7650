//! The worker that a program starts, and the future of one of its runs.

use super::{
    run_name::RunName, shutdown_steps::ShutdownSteps, supervisor::Supervisor, worker_plan::WorkerPlan,
};
use crate::{
    handler::{Context, JobError, SharedHandler},
    runtime::Handler,
    spawn::spawn,
    worker::{
        setup::{WorkQueue, WorkerBuilder},
        watch::{WorkerEvents, WorkerReport},
    },
};
use futures_util::future::{Either, select};
use queue_core::{Payload, Storage, WorkerId};
use std::{future::pending, pin::pin, sync::Arc};
use tokio_util::sync::CancellationToken;

/// Runs the jobs of a queue, or of several.
///
/// ```
/// # use std::sync::Arc;
/// use queue_core::{ContentType, JobId, Kind, NewJob, Payload, QueueName, Storage};
/// use queue_worker::{Router, Worker};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), queue_core::Error> {
/// let store = Arc::new(queue_memory::MemoryStorage::new());
/// let queue = QueueName::new("numbers")?;
/// let payload = Payload::new("20", ContentType::from_static("application/json"));
/// store.enqueue(&queue, vec![vec![NewJob::new(JobId::new("a")?, Kind::new("double")?, payload)]]).await?;
///
/// let router = Router::new(()).handle("double", |n: u32, _| async move { Ok(n * 2) })?;
/// let worker = Worker::builder(store, queue, router).until_empty().build()?;
/// assert_eq!(worker.run().await.completed, 1);
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Worker {
    plan: Arc<WorkerPlan>,
}

impl Worker {
    /// Starts to build a worker. The defaults are the fast ones.
    ///
    /// One handler serves all queues of a worker; the context says of which queue a job is.
    pub fn builder<H>(storage: Arc<dyn Storage>, queue: impl Into<WorkQueue>, handler: H) -> WorkerBuilder
    where
        H: Handler<Context, Output = Payload, Error = JobError>,
    {
        WorkerBuilder::new(storage, queue.into(), SharedHandler(Arc::new(handler)))
    }

    pub(in crate::worker) fn new(plan: WorkerPlan) -> Self {
        Self { plan: Arc::new(plan) }
    }

    /// The name under which the run in progress holds leases, or else the next run.
    pub fn id(&self) -> WorkerId {
        self.plan.names.current().id
    }

    /// Cancelling this token stops the run in progress, or else the next one, in steps; see
    /// [`run`](Self::run). The token of a run that has ended stops nothing: ask for the next one's.
    pub fn stop_token(&self) -> CancellationToken {
        self.plan.names.current().stop
    }

    /// A stream of what happens here from now on. It has the same events as
    /// [`on_event`](WorkerBuilder::on_event), for a reader that goes at its own pace. Any number of
    /// streams may be read.
    ///
    /// ```
    /// use futures_util::StreamExt;
    /// use queue_worker::{Worker, WorkerEvent};
    ///
    /// /// Prints slow and failed attempts while a worker runs.
    /// async fn watch(worker: &Worker) {
    ///     let mut events = worker.events();
    ///     while let Some(event) = events.next().await {
    ///         match event {
    ///             WorkerEvent::Failing(end) | WorkerEvent::Failed(end) => {
    ///                 println!("{}: attempt {} failed: {:?}", end.meta.id, end.attempt, end.error);
    ///             }
    ///             WorkerEvent::Completed(end) if end.ran_for.is_some_and(|time| time.as_secs() > 1) => {
    ///                 println!("{} took {:?}", end.meta.id, end.ran_for);
    ///             }
    ///             WorkerEvent::Lagged(lost) => println!("{lost} events were missed"),
    ///             _ => {}
    ///         }
    ///     }
    /// }
    /// # let _ = watch;
    /// ```
    pub fn events(&self) -> WorkerEvents {
        self.plan.observer.stream()
    }

    /// Works until it is stopped, and answers what it did. A call that the store refuses is
    /// reported as an event and tried again, for as long as the store is away. Only an error of
    /// kind `Closed` ends the run, since a handle that is closed stays closed: running handlers
    /// learn at once that their leases are lost and have the grace to end, and the
    /// [report](WorkerReport::error) carries the error. Open the store again and build a new
    /// worker.
    ///
    /// A stop goes in steps:
    ///
    /// 1. The worker claims nothing more, and gives jobs that have not started back uncharged.
    /// 2. Running handlers go on until the drain deadline. Then their cancel tokens fire.
    /// 3. After the grace, handlers that still run are dropped at their next await, and their jobs
    ///    are given back uncharged. A [blocking handler](crate::Router::handle_blocking) cannot be
    ///    dropped: its job keeps the lease and is reported as abandoned. Work that any other
    ///    handler moved to a thread must be waited for by that handler, within the deadlines.
    /// 4. A call that the store does not answer delays the end by at most five more seconds. Jobs
    ///    that are then unsettled are reported as abandoned, and lapse.
    ///
    /// The store stays open; it is yours.
    ///
    /// A part of the worker that panics stops the worker. Such a panic is a bug here or in the
    /// store.
    ///
    /// A worker can run again. Each run has a fresh id, unless one was chosen, and a report and a
    /// stop token of its own. It begins when the last part of the run before has ended, so a call
    /// that comes earlier waits.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use queue_core::QueueName;
    /// # use queue_worker::{Router, Worker};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), queue_core::Error> {
    /// # let (store, queue) = (Arc::new(queue_memory::MemoryStorage::new()), QueueName::new("numbers")?);
    /// # let router = Router::new(()).fallback(|_: u32, _| async { Ok(()) });
    /// let worker = Worker::builder(store, queue, router).build()?;
    /// for _ in 0..2 {
    ///     let stop = worker.stop_token();
    ///     let running = tokio::spawn(worker.run());
    ///     stop.cancel();
    ///     running.await.expect("a run does not panic");
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// Dropping the future takes all steps of a stop at once, as long as the runtime lives: nothing
    /// more is claimed or started, jobs that a claim in flight still brings are given back, and
    /// handlers are dropped at their next await. Their jobs are given back uncharged too; only
    /// those that the store does not take at once, or not within five seconds, are left to lapse.
    /// The report is lost.
    pub fn run(&self) -> impl Future<Output = WorkerReport> + Send + use<> {
        self.run_until(pending::<()>())
    }

    /// Works as [`run`](Self::run) does, until the future resolves and the worker has stopped in
    /// steps: most often [`shutdown_signal`](crate::shutdown_signal).
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use queue_core::QueueName;
    /// # use queue_worker::{Router, Worker};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), queue_core::Error> {
    /// # let (store, queue) = (Arc::new(queue_memory::MemoryStorage::new()), QueueName::new("numbers")?);
    /// use std::time::Duration;
    ///
    /// # let router = Router::new(()).fallback(|_: u32, _| async { Ok(()) });
    /// let worker = Worker::builder(store, queue, router).build()?;
    /// let report = worker.run_until(tokio::time::sleep(Duration::from_millis(10))).await;
    /// assert_eq!(report.started, 0);
    /// # Ok(()) }
    /// ```
    ///
    /// The future is polled once the run begins, which is when the last part of the run before has
    /// ended. A dropped future leaves what [`run`](Self::run) says.
    pub fn run_until<F: Future + Send>(
        &self,
        stopped: F,
    ) -> impl Future<Output = WorkerReport> + Send + use<F> {
        let plan = self.plan.clone();
        async move {
            let (turn, run) = plan.begin().await;
            let stop = run.shutdown.stop.clone();
            let _stopped_when_dropped = StopWhenDropped {
                plan: plan.clone(),
                name: run.name.clone(),
                shutdown: run.shutdown.clone(),
            };
            let supervisor = Supervisor { plan, run: run.clone(), turn };
            let stopped = pin!(async { drop(stopped.await) });
            let ended = match select(pin!(spawn(supervisor.supervise())), stopped).await {
                Either::Left((ended, _)) => ended,
                Either::Right(((), running)) => {
                    stop.cancel();
                    running.await
                }
            };
            // This task is not aborted and does not panic: without its answer the runtime ends.
            ended.unwrap_or_else(|_| run.report())
        }
    }
}

/// Takes the steps of a shutdown at once when it is dropped. After the end of a run they do
/// nothing.
struct StopWhenDropped {
    plan: Arc<WorkerPlan>,
    name: RunName,
    shutdown: ShutdownSteps,
}

impl Drop for StopWhenDropped {
    fn drop(&mut self) {
        self.plan.names.end(&self.name);
        self.shutdown.stop.cancel();
        self.shutdown.abort.cancel();
    }
}
