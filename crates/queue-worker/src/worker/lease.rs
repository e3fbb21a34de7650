use super::{HeldJob, heartbeat::extend_now, shared::Shared};
use crate::handler::CancelReason;
use queue_core::{Result, Span};
use std::sync::{Arc, Weak};

/// A handler's way to the store, for the lease of its job alone. It keeps neither the worker nor the store alive.
#[derive(Clone, Debug)]
pub(crate) struct Lease {
    worker: Weak<Shared>,
    note_bytes_max: usize,
}

impl Lease {
    pub(super) fn new(worker: &Arc<Shared>) -> Self {
        let note_bytes_max = worker.storage.capabilities().limits.note_bytes_max;
        Self { worker: Arc::downgrade(worker), note_bytes_max }
    }

    /// The largest progress report that the store takes.
    pub(crate) fn note_bytes_max(&self) -> usize {
        self.note_bytes_max
    }

    /// Sends a heartbeat at once; the answer says why the handler should stop, if it should.
    pub(crate) async fn extend(&self, job: &HeldJob, by: Span) -> Result<Option<CancelReason>> {
        match self.worker.upgrade().filter(|worker| worker.is_holding(job)) {
            Some(worker) => extend_now(&worker, job, by).await?,
            None => job.cancel(CancelReason::LeaseLost),
        }
        Ok(job.cancel_reason())
    }
}
