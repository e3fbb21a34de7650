use crate::worker::HeldJob;
use bytes::Bytes;
use queue_core::{JobMeta, NewJob, Payload};
use std::{sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

/// What a handler knows of its job and can do to it while it runs. Cloning gives another view of the same job.
#[derive(Debug)]
pub struct Context<S = ()> {
    held: Arc<HeldJob>,
    state: Arc<S>,
}

/// Why a handler is asked to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CancelReason {
    /// Somebody asked to cancel the job. Unless the handler completes, the job becomes Cancelled.
    Requested,
    /// The lease is gone: whatever the handler returns changes nothing.
    LeaseLost,
    /// The handler ran for as long as it may. What it answers now counts if it is a result, and is a failure named
    /// `TimeLimit` if it is not; after the worker's grace the handler is dropped, which is such a failure too.
    TimeLimit,
    /// The worker stops and the drain deadline has passed. The job will run again elsewhere.
    Shutdown,
}

impl<S> Context<S> {
    /// The same job, with the application's state.
    pub(crate) fn with_state<T>(&self, state: Arc<T>) -> Context<T> {
        Context { held: self.held.clone(), state }
    }

    pub(crate) fn held(&self) -> &Arc<HeldJob> {
        &self.held
    }

    /// The application's state, as given to the router.
    pub fn state(&self) -> &S {
        &self.state
    }

    /// The job at its claim. `(seq, epoch)` is the fencing number for outside resources.
    pub fn meta(&self) -> &JobMeta {
        self.held.meta()
    }

    /// The encoded payload. Typed handlers get it decoded.
    pub fn payload(&self) -> &Payload {
        self.held.payload()
    }

    /// The number of this attempt, from one.
    pub fn attempt(&self) -> u32 {
        self.meta().attempt()
    }

    /// How often the job was claimed in this life. `(seq, epoch)` is the fencing number for outside resources: it grows
    /// with every attempt, which the attempt's number need not.
    pub fn epoch(&self) -> u64 {
        self.meta().epoch
    }

    /// Resolves when the handler should stop; see [`cancel_reason`](Self::cancel_reason). Ignoring it is safe: a
    /// handler that goes on after its lease is gone can change nothing in the store.
    pub async fn cancelled(&self) {
        self.held.cancel_token().cancelled().await;
    }

    /// The token behind [`cancelled`](Self::cancelled), for passing on.
    pub fn cancel_token(&self) -> &CancellationToken {
        self.held.cancel_token()
    }

    /// Why the handler should stop, once it should.
    pub fn cancel_reason(&self) -> Option<CancelReason> {
        self.held.cancel_reason()
    }

    /// Sets how long the handler of this job may run, counted from its start, in place of the limit of its kind or of
    /// the worker. May be called by a hook before the handler, which knows the payload, or by the handler itself; a
    /// limit that has passed is not taken back.
    pub fn set_time_limit(&self, limit: Duration) {
        self.held.time_limit().set_of_job(limit);
    }

    /// Reports progress, readable by everybody with the job's status. It travels with the next heartbeat: the last
    /// report wins, and a job that ends before then keeps none. Up to the store's limit, 16 KiB by default.
    pub fn report_progress(&self, progress: impl Into<Bytes>) {
        self.held.set_progress(progress.into());
    }

    /// Enqueues a job into the same queue in the very step that completes this one; not at all unless it completes.
    pub fn then(&self, job: NewJob) {
        self.held.push_then(job);
    }
}

impl Context {
    /// Weaker than what was said for the job.
    pub(crate) fn set_time_limit_of_kind(&self, limit: Duration) {
        self.held.time_limit().set_of_kind(limit);
    }

    pub(crate) fn new(held: Arc<HeldJob>) -> Self {
        Self { held, state: Arc::new(()) }
    }
}

impl<S> Clone for Context<S> {
    fn clone(&self) -> Self {
        self.with_state(self.state.clone())
    }
}
