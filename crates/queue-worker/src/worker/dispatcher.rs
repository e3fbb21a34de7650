use super::{
    HeldJob, WorkerEvent,
    settlement::{Settlement, of_outcome},
    shared::Shared,
};
use crate::handler::{Context, JobError, JobHandler, SharedHandler};
use futures_util::FutureExt;
use queue_core::{Failure, Payload, lifecycle::Cause};
use std::{any::Any, panic::AssertUnwindSafe, sync::Arc};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio_util::task::TaskTracker;

/// Starts handlers in claim order, as many at once as allowed, and sends what they answered to the settler.
pub(super) struct Dispatcher {
    pub(super) shared: Arc<Shared>,
    pub(super) handler: SharedHandler,
    pub(super) settlements: mpsc::UnboundedSender<Settlement>,
    pub(super) running: TaskTracker,
}

impl Dispatcher {
    /// Ends when the fetcher has ended and every job it brought was started or given back.
    pub(super) async fn run(self, mut jobs: mpsc::UnboundedReceiver<Arc<HeldJob>>) {
        let handlers = Arc::new(Semaphore::new(self.shared.options.concurrency));
        while let Some(job) = jobs.recv().await {
            match self.free_handler(&handlers).await {
                // Cancelled or lost while it waited for a handler: it is not worth a start.
                Some(permit) if job.cancel_reason().is_none() => self.start(job, permit),
                _ => self.settle(Settlement::release(job)),
            }
        }
        self.running.close();
    }

    /// Waits until another handler may run; `None` once the worker stops.
    async fn free_handler(&self, handlers: &Arc<Semaphore>) -> Option<OwnedSemaphorePermit> {
        tokio::select! {
            biased;
            () = self.shared.signals.stop.cancelled() => None,
            permit = handlers.clone().acquire_owned() => permit.ok(),
        }
    }

    fn start(&self, job: Arc<HeldJob>, permit: OwnedSemaphorePermit) {
        let (shared, handler, settlements) =
            (self.shared.clone(), self.handler.clone(), self.settlements.clone());
        crate::spawn::tracked(&self.running, async move {
            let settlement = run_job(&shared, &*handler.0, job).await;
            drop(permit);
            drop(settlements.send(settlement));
        });
    }

    fn settle(&self, settlement: Settlement) {
        // The settler outlives this task, so it always arrives.
        drop(self.settlements.send(settlement));
    }
}

async fn run_job(shared: &Shared, handler: &JobHandler, job: Arc<HeldJob>) -> Settlement {
    shared.emit(&WorkerEvent::Started(job.meta().clone()));
    // Whatever of the handler panics, its call or its drop too, panics in here.
    let attempt = AssertUnwindSafe(async {
        tokio::select! {
            biased;
            outcome = handler.handle(Context::new(job.clone())) => Some(outcome),
            () = shared.signals.abort.cancelled() => None,
        }
    });
    match attempt.catch_unwind().await {
        Ok(Some(outcome)) => of_outcome(job, outcome),
        Ok(None) => Settlement::release(job),
        Err(panic) => of_outcome(job, Err(panicked(&*panic))),
    }
}

fn panicked(panic: &(dyn Any + Send)) -> JobError {
    let message = panic.downcast_ref::<&str>().copied();
    let message = message.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    JobError::failed(Failure::new("Panic", message.unwrap_or("the handler panicked")), Cause::Retryable)
}

/// What a handler answers.
pub(super) type Outcome = Result<Payload, JobError>;
