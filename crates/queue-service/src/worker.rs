//! The worker that a program starts.

use crate::{
    ServiceError, ServiceWorkerBuilder,
    run::{self, Plan, StopSteps},
};
use queue_core::{Payload, QueueName};
use queue_remote::RemoteOptions;
use queue_worker::{Context, JobError, WorkerReport, runtime::Handler};
use std::{fmt, future::pending, pin::pin};
use tokio_util::sync::CancellationToken;

/// Runs the jobs of a queue, which it claims from a service with a token of the scope `work`.
///
/// ```no_run
/// use queue_core::QueueName;
/// use queue_remote::RemoteOptions;
/// use queue_service::ServiceWorker;
/// use queue_worker::{Router, shutdown_signal};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let service = RemoteOptions::new("https://jobs.example.org")?.token_file("worker.token");
/// let router = Router::new(()).handle("email", |to: String, job| async move {
///     println!("attempt {} at writing to {to}", job.attempt());
///     Ok(())
/// })?;
/// let mail = QueueName::new("mail")?;
/// let worker = ServiceWorker::builder(service, mail, router).build().await?;
/// let report = worker.run_until(shutdown_signal()).await?;
/// println!("completed {} jobs", report.completed);
/// # Ok(())
/// # }
/// ```
///
/// # What is promised
/// What `docs/service/protocol.md` asks of a worker. No claim is forgotten whose answer was lost. A
/// handler whose lease is lost, or whose job is cancelled, is asked to stop by its
/// [context](Context::cancelled). An outcome is sent until the service has given its verdict, also
/// after the end of the lease, and its slot is free only then. A job runs at least once.
///
/// # Handlers
/// A handler of a [`Worker`](queue_worker::Worker) over a store runs here unchanged. Its context
/// has the fields of the claim: budgets, retention and revision have defaults, stalls count as
/// failures, and [`Context::lease_token`] is zeros, since a job of a service cannot be completed in
/// a transaction.
pub struct ServiceWorker {
    plan: Plan,
    steps: StopSteps,
}

impl ServiceWorker {
    /// Starts to build a worker on one queue. A program that works on several runs several workers.
    ///
    /// The handler is a [`Router`](queue_worker::Router), or one function for all jobs as a
    /// [fallback](queue_worker::Router::fallback) of [`Raw`](queue_worker::Router::handle)
    /// payloads.
    pub fn builder<H>(service: RemoteOptions, queue: QueueName, handler: H) -> ServiceWorkerBuilder
    where
        H: Handler<Context, Output = Payload, Error = JobError>,
    {
        ServiceWorkerBuilder::new(service, queue, handler)
    }

    pub(crate) fn new(plan: Plan) -> Self {
        Self { plan, steps: StopSteps::default() }
    }

    /// Cancelling this token stops the worker in steps; see [`run`](Self::run).
    pub fn stop_token(&self) -> CancellationToken {
        self.steps.stop.clone()
    }

    /// Cancelling this token stops the worker without waiting for the drain deadline: handlers are
    /// asked to stop now.
    pub fn hurry_token(&self) -> CancellationToken {
        self.steps.hurry.clone()
    }

    /// Works until it is stopped, and answers what it did. A call without an answer is an event and
    /// is tried again, for as long as the service is away.
    ///
    /// A stop, by a token or by an operator who drains the worker, goes in steps:
    ///
    /// 1. The worker claims nothing more, and gives jobs that have not started back uncharged.
    /// 2. Running handlers go on until the drain deadline. Then their cancel tokens fire.
    /// 3. After the grace, handlers that still run are dropped, and their jobs are given back
    ///    uncharged. A function that blocks its thread keeps its lease, which lapses.
    /// 4. Outcomes are sent for five more seconds. Each without a verdict is an abandoned job.
    ///
    /// Dropping the future drops the handlers. Their jobs run again when their leases lapse.
    ///
    /// # Errors
    /// What no waiting helps against: a token that is unknown, expired or revoked, or lacks the
    /// scope `work` or the queue; a service that does not have a call of this library. What ran
    /// then was settled first, as far as possible.
    pub async fn run(self) -> Result<WorkerReport, ServiceError> {
        run::run(self.plan, self.steps).await
    }

    /// Works as [`run`](Self::run) does, until the future resolves and the worker has stopped in
    /// steps: most often [`shutdown_signal`](queue_worker::shutdown_signal).
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub async fn run_until(
        self,
        stop: impl Future<Output = ()> + Send,
    ) -> Result<WorkerReport, ServiceError> {
        let token = self.stop_token();
        let stopper = pin!(async move {
            stop.await;
            token.cancel();
            pending::<()>().await;
        });
        tokio::select! {
            ended = self.run() => ended,
            () = stopper => unreachable!("it is pending"),
        }
    }
}

impl fmt::Debug for ServiceWorker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServiceWorker").field("queue", &self.plan.queue).finish_non_exhaustive()
    }
}
