//! One attempt at a hosted job.

use super::HostedLease;
use crate::{
    handler::{CancelReason, Context, JobHandler},
    worker::{
        attempt::{HandlerRun, NoOutcome},
        hold::{HeldJob, Lease},
        settle::Settlement,
        trace,
    },
};
use queue_core::{WorkerId, lifecycle::Event};
use std::{
    sync::{Arc, Weak},
    time::Duration,
};
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

/// What the attempts of a run of a worker share.
#[derive(Clone, Debug)]
pub struct HostedRun {
    worker: WorkerId,
    grace: Duration,
    abort: CancellationToken,
}

/// How an attempt at a hosted job ended.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum HostedEnd {
    /// The event is to be settled.
    Settle {
        /// What the answer of the handler means. Its jobs that follow go on with the job's trace.
        event: Event,
        /// How long the handler ran.
        ran_for: Option<Duration>,
    },
    /// The lease was lost and the handler did not end within its grace: there is nothing to settle.
    LeaseLost,
    /// The worker ends, and a function that blocks its thread goes on. The lease is left to lapse,
    /// so that no second attempt starts beside it.
    Abandoned,
}

impl HostedRun {
    /// `worker` is named in the spans of attempts. Handlers may go on for `grace` after they were
    /// asked to stop at their time limit or for a lost lease, and are dropped when `abort` is
    /// cancelled.
    pub fn new(worker: WorkerId, grace: Duration, abort: CancellationToken) -> Self {
        Self { worker, grace, abort }
    }

    pub(super) async fn attempt(
        &self,
        job: &Arc<HeldJob>,
        handler: &JobHandler,
        lease: Weak<dyn HostedLease>,
    ) -> HostedEnd {
        let span = trace::attempt(job, &self.worker);
        let default_limit = lease.upgrade().and_then(|lease| lease.time_limit());
        let context = Context::new(job.clone(), Lease::Hosted(lease));
        let run = HandlerRun { job, context: &context, default_limit, grace: self.grace, abort: &self.abort };
        let executed = run.run(handler).instrument(span.clone()).await;
        job.note_outcome();
        match &executed {
            Ok(executed) => trace::ended(&span, job, executed),
            Err(no_outcome) => trace::ended_without_outcome(&span, no_outcome.name()),
        }
        let settlement = match executed {
            Ok(executed) => Settlement::of_executed(job.clone(), executed),
            Err(NoOutcome::LeaseLost) => return HostedEnd::LeaseLost,
            Err(NoOutcome::Interrupted) if job.is_blocking() => {
                job.cancel(CancelReason::Shutdown);
                return HostedEnd::Abandoned;
            }
            Err(_) => Settlement::interrupt(job.clone()),
        };
        let (event, ran_for) = settlement.into_event();
        HostedEnd::Settle { event, ran_for }
    }
}
