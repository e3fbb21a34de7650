//! A handler's way to the store, for the lease of its job alone.

use super::{HeldJob, heartbeat::extend_now};
use crate::{handler::CancelReason, worker::run::WorkerRun};
use queue_core::{Limits, Result, Span};
use std::{
    sync::{Arc, Weak},
    time::Duration,
};

/// The lease of one job, as its context has it. It keeps neither the worker nor the store alive. A
/// job that a test made has neither.
#[derive(Clone, Debug)]
pub(crate) struct Lease(Option<Weak<WorkerRun>>);

impl Lease {
    pub(in crate::worker) fn new(run: &Arc<WorkerRun>) -> Self {
        Self(Some(Arc::downgrade(run)))
    }

    /// Makes the lease of a job that no store knows: it holds until the test says otherwise.
    #[cfg(feature = "testing")]
    pub(crate) const fn of_test() -> Self {
        Self(None)
    }

    fn run(&self) -> Option<Arc<WorkerRun>> {
        self.0.as_ref()?.upgrade()
    }

    /// What the store takes. Once the worker is gone nothing is sent, so that any limits will do.
    pub(crate) fn limits(&self) -> Limits {
        self.run().map(|run| run.storage.capabilities().limits).unwrap_or_default()
    }

    /// The worker's default time limit.
    pub(crate) fn time_limit(&self) -> Option<Duration> {
        self.run().and_then(|run| run.options.time_limit)
    }

    /// Sends a heartbeat at once, and answers why the handler should stop, if it should.
    pub(crate) async fn extend(&self, job: &HeldJob, by: Span) -> Result<Option<CancelReason>> {
        match self.run().filter(|run| run.held.contains(job)) {
            Some(run) => extend_now(&run, job, by).await?,
            None if self.0.is_none() => {}
            None => job.cancel(CancelReason::LeaseLost),
        }
        Ok(job.cancel_reason())
    }
}
