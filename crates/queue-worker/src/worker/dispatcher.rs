use super::{
    HeldJob,
    admission::{Admission, admit},
    execution::Execution,
    settlement::Settlement,
    shared::Shared,
};
use crate::handler::{CancelReason, JobError, SharedHandler};
use queue_core::Payload;
use std::sync::Arc;
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
                Some(permit) => match admit(&self.shared, &job) {
                    Admission::Start => self.start(job, permit),
                    Admission::GiveBack => self.settle(Settlement::release(job)),
                    Admission::PutBack(wait) => self.settle(Settlement::put_back(job, wait)),
                },
                None => self.settle(Settlement::release(job)),
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
            let executed = Execution::new(&shared, &job).run(&*handler.0).await;
            drop(permit);
            match executed {
                Some(settlement) => drop(settlements.send(settlement)),
                // Work that goes on would overlap with a next attempt, so its lease is left to lapse.
                None if job.is_blocking() => {
                    job.cancel(CancelReason::Shutdown);
                    shared.abandon(&job);
                }
                None => drop(settlements.send(Settlement::release(job))),
            }
        });
    }

    fn settle(&self, settlement: Settlement) {
        // The settler outlives this task, so it always arrives.
        drop(self.settlements.send(settlement));
    }
}

/// What a handler answers.
pub(super) type Outcome = Result<Payload, JobError>;
