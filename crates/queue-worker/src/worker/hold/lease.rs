//! A handler's way to the store, for the lease of its job alone.

use super::{HeldJob, heartbeat::extend_now};
use crate::{
    handler::CancelReason,
    worker::{hosted::HostedLease, run::WorkerRun},
};
use queue_core::{Error, Limits, Result, Span};
use std::{
    sync::{Arc, Weak},
    time::Duration,
};
use tokio::time::Instant;

/// The lease of one job, as its context has it. It keeps neither the worker nor the store alive.
#[derive(Clone, Debug)]
pub(crate) enum Lease {
    /// Of a worker over a store.
    Run(Weak<WorkerRun>),
    /// Of a worker that reaches its jobs by another way.
    Hosted(Weak<dyn HostedLease>),
    /// Of a job that a test made: it holds until the test says otherwise.
    #[cfg(feature = "testing")]
    OfTest,
}

impl Lease {
    pub(in crate::worker) fn new(run: &Arc<WorkerRun>) -> Self {
        Self::Run(Arc::downgrade(run))
    }

    fn run(&self) -> Option<Arc<WorkerRun>> {
        match self {
            Self::Run(run) => run.upgrade(),
            Self::Hosted(_) => None,
            #[cfg(feature = "testing")]
            Self::OfTest => None,
        }
    }

    /// What the store takes. After the end of the worker nothing is sent, so any limits will do.
    pub(crate) fn limits(&self) -> Limits {
        self.run().map(|run| run.storage.capabilities().limits).unwrap_or_default()
    }

    /// The worker's default time limit.
    pub(crate) fn time_limit(&self) -> Option<Duration> {
        match self {
            Self::Hosted(lease) => lease.upgrade()?.time_limit(),
            Self::Run(run) => run.upgrade()?.options.time_limit,
            #[cfg(feature = "testing")]
            Self::OfTest => None,
        }
    }

    /// Sends a heartbeat at once, and answers why the handler should stop, if it should.
    pub(crate) async fn extend(&self, job: &HeldJob, by: Span) -> Result<Option<CancelReason>> {
        match self {
            Self::Run(_) => match self.run().filter(|run| run.held.contains(job)) {
                Some(run) => extend_now(&run, job, by).await?,
                None => job.cancel(CancelReason::LeaseLost),
            },
            Self::Hosted(lease) => match lease.upgrade() {
                Some(lease) => {
                    check(by, lease.lease_max())?;
                    job.keep_until(Instant::now() + by.as_duration());
                    lease.heartbeat().await?;
                }
                None => job.cancel(CancelReason::LeaseLost),
            },
            #[cfg(feature = "testing")]
            Self::OfTest => {}
        }
        Ok(job.cancel_reason())
    }
}

fn check(by: Span, most: Duration) -> Result<()> {
    if by.as_duration() <= most {
        return Ok(());
    }
    Err(Error::invalid("extend", format!("a lease lasts at most {most:?}, not {:?}", by.as_duration())))
}
