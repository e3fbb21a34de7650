use super::{ProgressError, router::Codecs};
use crate::worker::{HeldJob, Lease};
use queue_core::{Headers, JobMeta, LeaseToken, NewJob, Payload, Result, Span, Tags};
use queue_serde::{Codec, CodecContext, Encode, Json, Role};
use std::{sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

/// What a handler knows of its job and can do to it while it runs. Cloning gives another view of the same job.
#[derive(Debug)]
pub struct Context<S = ()> {
    held: Arc<HeldJob>,
    lease: Lease,
    /// Those of the router; without one, progress is JSON.
    codecs: Option<Codecs>,
    state: Arc<S>,
}

/// Why a handler is asked to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CancelReason {
    /// Somebody asked to cancel the job. Unless the handler completes, the job becomes Cancelled.
    Requested,
    /// The lease has lapsed, or another holds the job. What the handler answers within the worker's grace is stored if
    /// nobody else holds the job by then, and changes nothing otherwise; after the grace it is dropped, and the lapse counts.
    LeaseLost,
    /// The handler ran for as long as it may. What it answers now counts if it is a result, and is a failure named
    /// `TimeLimit` if it is not; after the worker's grace the handler is dropped, which is such a failure too.
    TimeLimit,
    /// The worker stops and the drain deadline has passed. The job will run again elsewhere.
    Shutdown,
}

impl<S> Context<S> {
    /// The same job, with the application's state.
    pub(super) fn with_state<T>(&self, state: Arc<T>, codecs: Option<Codecs>) -> Context<T> {
        Context { held: self.held.clone(), lease: self.lease.clone(), codecs, state }
    }

    /// Of a job that a test made.
    #[cfg(feature = "testing")]
    pub(crate) fn of_test(held: Arc<HeldJob>, state: S) -> Self {
        Self { held, lease: Lease::of_test(), codecs: None, state: Arc::new(state) }
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

    /// What the producer told beside the payload.
    pub fn headers(&self) -> &Headers {
        self.held.headers()
    }

    /// What the job is found by.
    pub fn tags(&self) -> &Tags {
        &self.held.meta().tags
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

    /// The proof of this claim, for completing the job in a transaction of the handler's own
    /// (`Queue::complete_in`). What the worker sends when the handler returns is then answered as done.
    pub fn lease_token(&self) -> LeaseToken {
        self.held.token()
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

    /// How long the handler of this job may run, counted from its start, whoever said so: this context, the job, its kind
    /// or the worker. `None` is without limit.
    pub fn time_limit(&self) -> Option<Duration> {
        self.held.time_limit().get(self.lease.time_limit())
    }

    /// Sets how long the handler of this job may run, counted from its start, in place of the limit that the job was
    /// enqueued with, or that of its kind or of the worker. May be called by a hook before the handler, which knows the
    /// payload, or by the handler itself; a limit that has passed is not taken back.
    pub fn set_time_limit(&self, limit: Duration) {
        self.held.time_limit().set_of_job(limit);
    }

    /// Reports progress, readable by everybody with the job's status, and with
    /// `Queue::progress` by those who know its type. It is encoded as a result is.
    ///
    /// Call it as often as you like: what was reported last goes to the store about once a second, for all jobs in one
    /// call, or with the next heartbeat or [`heartbeat`](Self::heartbeat), or with the snooze or the release that the handler
    /// answers: the next attempt finds it in its metadata. A job that ends or fails before that keeps none of it.
    ///
    /// ```
    /// use queue_worker::Router;
    ///
    /// let router = Router::new(()).handle("import", |rows: Vec<String>, job| async move {
    ///     for (done, row) in rows.iter().enumerate() {
    ///         job.report_progress(&(done, rows.len()))?;
    ///         # let _ = row;
    ///     }
    ///     Ok(rows.len())
    /// })?;
    /// # Ok::<(), queue_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ProgressError`] for more bytes than the store takes, 16 KiB by default, and for a value that the format cannot
    /// hold. What was reported before stays.
    pub fn report_progress<T: Encode>(&self, progress: &T) -> Result<(), ProgressError> {
        let codec: &dyn Codec =
            self.codecs.as_ref().map_or(&Json, |codecs| codecs.for_payload(self.payload()));
        let report = progress.encode(codec, &CodecContext::of(self.meta(), Role::Progress))?.bytes;
        let most = self.lease.limits().note_bytes_max;
        if report.len() > most {
            return Err(ProgressError::TooLarge { bytes: report.len(), most });
        }
        self.held.set_progress(report);
        Ok(())
    }

    /// Makes the lease last at least so long from now, for work during which heartbeats may fail to be sent, such as one
    /// that keeps the runtime busy or freezes the process. It never makes a lease shorter. If the process dies, the job
    /// waits for so long.
    ///
    /// The worker keeps leases alive by itself: nobody needs this for work that merely takes long.
    ///
    /// Answers why the handler should stop, if it should, as [`cancel_reason`](Self::cancel_reason) then does too.
    ///
    /// # Errors
    /// `Invalid` for a length that store time cannot hold, over a hundred years. Those of the store; the lease may be
    /// longer or not, and is kept alive as before. A dropped future leaves the same.
    pub async fn extend(&self, by: Duration) -> Result<Option<CancelReason>> {
        self.lease.extend(&self.held, Span::new("lease", by)?).await
    }

    /// Sends a heartbeat now, with the progress that was reported: for a handler about to do what it must not do without
    /// its lease, and one that wants its progress seen at once. Whether the lease holds is certain only as of the answer:
    /// outside resources are fenced by `(seq, epoch)`.
    ///
    /// # Errors
    /// Those of the store. Answers as [`extend`](Self::extend).
    pub async fn heartbeat(&self) -> Result<Option<CancelReason>> {
        self.lease.extend(&self.held, Span::ZERO).await
    }

    /// Enqueues a job into the same queue in the very step that completes this one; not at all unless it completes. For other
    /// ends there is [`JobError::then`](crate::JobError::then). Make it with `Queue::new_job` of a handle on that queue.
    /// It goes on with the trace context of this job, the headers `traceparent` and `tracestate`, unless it brings its own.
    pub fn then(&self, job: NewJob) {
        self.held.push_then(job);
    }

    /// The jobs that are to follow so far, for completing the job in a transaction of the handler's own.
    pub fn followers(&self) -> Vec<NewJob> {
        self.held.then()
    }
}

impl Context {
    /// Weaker than what was said for the job.
    pub(crate) fn set_time_limit_of_kind(&self, limit: Duration) {
        self.held.time_limit().set_of_kind(limit);
    }

    pub(crate) fn new(held: Arc<HeldJob>, lease: Lease) -> Self {
        Self { held, lease, codecs: None, state: Arc::new(()) }
    }
}

impl<S> Clone for Context<S> {
    fn clone(&self) -> Self {
        self.with_state(self.state.clone(), self.codecs.clone())
    }
}
