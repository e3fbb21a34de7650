use super::{HeldJob, heartbeat::extend_now, shared::Shared};
use crate::handler::CancelReason;
use queue_core::{Limits, Result, Span};
use std::{
    sync::{Arc, Weak},
    time::Duration,
};

/// A handler's way to the store, for the lease of its job alone. It keeps neither the worker nor the store alive; in a test
/// that made the job itself there is neither.
#[derive(Clone, Debug)]
pub(crate) struct Lease(Option<Weak<Shared>>);

impl Lease {
    pub(super) fn new(worker: &Arc<Shared>) -> Self {
        Self(Some(Arc::downgrade(worker)))
    }

    /// Of a job that no store knows: it holds until the test says otherwise.
    #[cfg(feature = "testing")]
    pub(crate) const fn of_test() -> Self {
        Self(None)
    }

    fn worker(&self) -> Option<Arc<Shared>> {
        self.0.as_ref()?.upgrade()
    }

    /// What the store takes; once the worker is gone, nothing is sent and it does not matter.
    pub(crate) fn limits(&self) -> Limits {
        self.worker().map(|worker| worker.storage.capabilities().limits).unwrap_or_default()
    }

    /// How long the worker lets handlers run that nothing else was said for.
    pub(crate) fn time_limit(&self) -> Option<Duration> {
        self.worker().and_then(|worker| worker.options.time_limit)
    }

    /// Sends a heartbeat at once; the answer says why the handler should stop, if it should.
    pub(crate) async fn extend(&self, job: &HeldJob, by: Span) -> Result<Option<CancelReason>> {
        match self.worker().filter(|worker| worker.is_holding(job)) {
            Some(worker) => extend_now(&worker, job, by).await?,
            None if self.0.is_none() => {}
            None => job.cancel(CancelReason::LeaseLost),
        }
        Ok(job.cancel_reason())
    }
}
