use super::{HeldJob, heartbeat::extend_now, shared::Shared};
use crate::handler::CancelReason;
use queue_core::{Limits, Result, Span};
use std::{
    sync::{Arc, Weak},
    time::Duration,
};

/// A handler's way to the store, for the lease of its job alone. It keeps neither the worker nor the store alive.
#[derive(Clone, Debug)]
pub(crate) struct Lease(Weak<Shared>);

impl Lease {
    pub(super) fn new(worker: &Arc<Shared>) -> Self {
        Self(Arc::downgrade(worker))
    }

    /// What the store takes; once the worker is gone, nothing is sent and it does not matter.
    pub(crate) fn limits(&self) -> Limits {
        self.0.upgrade().map(|worker| worker.storage.capabilities().limits).unwrap_or_default()
    }

    /// How long the worker lets handlers run that nothing else was said for.
    pub(crate) fn time_limit(&self) -> Option<Duration> {
        self.0.upgrade().and_then(|worker| worker.options.time_limit)
    }

    /// Sends a heartbeat at once; the answer says why the handler should stop, if it should.
    pub(crate) async fn extend(&self, job: &HeldJob, by: Span) -> Result<Option<CancelReason>> {
        match self.0.upgrade().filter(|worker| worker.is_holding(job)) {
            Some(worker) => extend_now(&worker, job, by).await?,
            None => job.cancel(CancelReason::LeaseLost),
        }
        Ok(job.cancel_reason())
    }
}
