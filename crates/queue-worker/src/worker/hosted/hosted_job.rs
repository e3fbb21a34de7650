//! A job under a lease of another kind of worker.

use super::{HostedLease, HostedRun, hosted_run::HostedEnd};
use crate::{
    handler::{CancelReason, JobHandler},
    worker::hold::{ClaimDetails, ClockReading, HeldJob},
};
use bytes::Bytes;
use queue_core::{
    ClaimedJob, JobMeta, Span,
    lifecycle::{Event, Patch},
};
use std::{
    sync::{Arc, Weak},
    time::Duration,
};
use tokio::time::Instant;

/// A job under a lease of a worker of another kind, from its claim until its settle is answered.
/// Cloning gives another view of the same job.
#[derive(Clone, Debug)]
pub struct HostedJob(pub(super) Arc<HeldJob>);

/// What a heartbeat says of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Heartbeat {
    /// The lease then lapses this long from now.
    pub by: Duration,
    /// Progress that the handler reported and that is not stored yet, encoded.
    pub progress: Option<Bytes>,
}

impl HostedJob {
    /// Holds a job until `lapses_at`, by this process's own clock. `None` for a claimed job without
    /// its body, which no handler can run. A token that the worker does not know may be any.
    pub fn new(claimed: ClaimedJob, lapses_at: Instant) -> Option<Self> {
        let reading = ClockReading::now(claimed.record.meta.claimed_at.unwrap_or_default());
        let details = ClaimDetails { queue_index: 0, start: None, reading };
        HeldJob::new(0, claimed, lapses_at, details).map(|held| Self(Arc::new(held)))
    }

    /// The job as it was at its claim.
    pub fn meta(&self) -> &JobMeta {
        self.0.meta()
    }

    /// Whether its handler may start: it would not be asked to stop at once, and the lease lasts.
    pub fn may_start(&self) -> bool {
        self.0.may_start()
    }

    /// When the lease lapses; `None` once it is [lost](Self::lose). A handler that is asked to stop
    /// for another reason keeps its lease.
    pub fn lapses_at(&self) -> Option<Instant> {
        self.0.time_limit().lost_at().is_none().then(|| self.0.lease_end())
    }

    /// Whether the attempt is over, so that only its outcome has to be stored.
    pub fn has_outcome(&self) -> bool {
        self.0.has_outcome()
    }

    /// Asks the handler to stop. The first reason stays.
    pub fn cancel(&self, reason: CancelReason) {
        self.0.cancel(reason);
    }

    /// Notes that the lease has lapsed or is another worker's: the handler is asked to stop, and is
    /// dropped after its grace.
    pub fn lose(&self) {
        self.0.lose();
    }

    /// Why the handler should stop, once it should.
    pub fn cancel_reason(&self) -> Option<CancelReason> {
        self.0.cancel_reason()
    }

    /// The next heartbeat. It asks for more than `lease` if the handler did.
    pub fn heartbeat(&self, lease: Duration) -> Heartbeat {
        match self.0.heartbeat(Span::at_most(lease)) {
            Event::Extend { by, progress, .. } => Heartbeat { by: by.as_duration(), progress },
            _ => Heartbeat { by: lease, progress: None },
        }
    }

    /// Notes that a heartbeat was answered: the lease lasts for `lease` from its sending on, and
    /// the progress that it carried is stored.
    pub fn extended(&self, sent: Heartbeat, sent_at: Instant, lease: Duration) {
        let sent = Patch::Extend { by: Span::at_most(lease), progress: sent.progress };
        self.0.extended(&sent, sent_at);
    }

    /// The event that gives a job back whose handler did not start.
    pub fn release(&self) -> Event {
        self.0.note_outcome();
        Event::release(self.0.token())
    }

    /// Makes the attempt: calls the handler with a [`Context`](crate::Context) that reaches
    /// `lease`, under its time limit and in a span of its own, and answers what is to be settled. A
    /// panic is a failure. A dropped future drops the handler.
    pub async fn run(
        &self,
        handler: &JobHandler,
        lease: Weak<dyn HostedLease>,
        run: &HostedRun,
    ) -> HostedEnd {
        run.attempt(&self.0, handler, lease).await
    }
}
