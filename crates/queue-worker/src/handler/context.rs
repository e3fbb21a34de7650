//! What a handler knows of its job.

use super::{ProgressError, router::Codecs};
use crate::{
    batches::ContextBatch,
    worker::{HeldJob, Lease},
};
use queue_core::{Headers, JobMeta, LeaseToken, NewJob, Payload, Result, Span, Tags};
use queue_serde::{Codec, CodecContext, Encode, Json, Role};
use std::{sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

/// What a handler knows of its job and can do to it while it runs. Cloning gives another view of
/// the same job.
#[derive(Debug)]
pub struct Context<S = ()> {
    held: Arc<HeldJob>,
    lease: Lease,
    /// The codecs of the router. Without a router, progress is JSON.
    codecs: Option<Codecs>,
    state: Arc<S>,
}

/// Why a handler is asked to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CancelReason {
    /// A cancel of the job was requested. Unless the handler completes, the job becomes Cancelled.
    Requested,
    /// The lease has lapsed, or another worker holds the job. An answer within the worker's grace
    /// is stored if no other worker holds the job by then, and changes nothing otherwise. After the
    /// grace the handler is dropped, and the lapse counts.
    LeaseLost,
    /// The handler ran for as long as it may. Its answer still counts if it is a result, and is a
    /// failure named `TimeLimit` if it is not. After the worker's grace the handler is dropped,
    /// which is such a failure too.
    TimeLimit,
    /// The worker stops and the drain deadline has passed. The job will run again elsewhere.
    Shutdown,
}

impl<S> Context<S> {
    /// Another view of the same job, with the application's state.
    pub(super) fn with_state<T>(&self, state: Arc<T>, codecs: Option<Codecs>) -> Context<T> {
        Context { held: self.held.clone(), lease: self.lease.clone(), codecs, state }
    }

    /// The context of a job that a test made.
    #[cfg(feature = "testing")]
    pub(crate) fn of_test(held: Arc<HeldJob>, state: S) -> Self {
        Self { held, lease: Lease::OfTest, codecs: None, state: Arc::new(state) }
    }

    pub(crate) fn held(&self) -> &Arc<HeldJob> {
        &self.held
    }

    /// The application's state, as given to the router.
    pub fn state(&self) -> &S {
        &self.state
    }

    /// The job as it was at its claim. `(seq, epoch)` is the fencing number for outside resources.
    pub fn meta(&self) -> &JobMeta {
        self.held.meta()
    }

    /// The encoded payload. Typed handlers get it decoded.
    pub fn payload(&self) -> &Payload {
        self.held.payload()
    }

    /// The headers that the producer gave the job beside the payload.
    pub fn headers(&self) -> &Headers {
        self.held.headers()
    }

    /// The tags by which the job is found.
    pub fn tags(&self) -> &Tags {
        &self.held.meta().tags
    }

    /// The number of this attempt, from one.
    pub fn attempt(&self) -> u32 {
        self.meta().attempt()
    }

    /// How often the job was claimed in this life. `(seq, epoch)` is the fencing number for outside
    /// resources: it grows with every claim, which the number of the attempt does not.
    pub fn epoch(&self) -> u64 {
        self.meta().epoch
    }

    /// The proof of this claim, for completing the job in a transaction of the handler's own
    /// (`Queue::complete_in`). The settle that the worker sends when the handler returns is then
    /// answered as done.
    pub fn lease_token(&self) -> LeaseToken {
        self.held.token()
    }

    /// Resolves when the handler should stop; see [`cancel_reason`](Self::cancel_reason). Ignoring
    /// it is safe: a handler that goes on after its lease is lost can change nothing in the store.
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

    /// How long the handler of this job may run, counted from its start. The limit may come from
    /// this context, the job, its kind or the worker. `None` is without limit.
    pub fn time_limit(&self) -> Option<Duration> {
        self.held.time_limit().get(self.lease.time_limit())
    }

    /// Sets how long the handler of this job may run, counted from its start, in place of the limit
    /// that the job was enqueued with, or that of its kind or of the worker. A hook before the
    /// handler may call it, since it knows the payload, or the handler itself. A limit that has
    /// passed is not taken back.
    pub fn set_time_limit(&self, limit: Duration) {
        self.held.time_limit().set_of_job(limit);
    }

    /// Reports progress. Callers read it with the job's status, and callers that know its type with
    /// `Queue::progress`. It is encoded as a result is.
    ///
    /// Call it as often as you like. The latest report goes to the store about once a second, for
    /// all jobs in one call, or with the next heartbeat or [`heartbeat`](Self::heartbeat), or with
    /// the snooze or the release that the handler answers. The next attempt finds it in its
    /// metadata. A job that ends or fails before that keeps none of it.
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
    /// [`ProgressError`] for more bytes than the store takes, 16 KiB by default, and for a value
    /// that the format cannot hold. The report before stays.
    pub fn report_progress<T: Encode>(&self, progress: &T) -> Result<(), ProgressError> {
        let report = progress.encode(self.codec(), &CodecContext::of(self.meta(), Role::Progress))?.bytes;
        let most = self.lease.limits().note_bytes_max;
        if report.len() > most {
            return Err(ProgressError::TooLarge { bytes: report.len(), most });
        }
        self.held.set_progress(report);
        Ok(())
    }

    /// Makes the lease last at least this long from now, for work during which heartbeats may fail
    /// to be sent, such as work that keeps the runtime busy or freezes the process. It never makes
    /// a lease shorter. If the process dies, the job waits for this long.
    ///
    /// Work that merely takes long does not need this, since the worker keeps leases alive by
    /// itself.
    ///
    /// Answers why the handler should stop, if it should, as [`cancel_reason`](Self::cancel_reason)
    /// then does too.
    ///
    /// # Errors
    /// `Invalid` for a length over a hundred years, which store time cannot hold, and errors of the
    /// store. After those the lease may be longer or not, and is kept alive as before. A dropped
    /// future leaves the same.
    pub async fn extend(&self, by: Duration) -> Result<Option<CancelReason>> {
        self.lease.extend(&self.held, Span::new("lease", by)?).await
    }

    /// Sends a heartbeat now, with the progress that was reported. It is for a handler that is
    /// about to do what it must not do without its lease, or that wants its progress seen at once.
    /// Whether the lease holds is certain only as of the answer: outside resources are fenced by
    /// `(seq, epoch)`.
    ///
    /// # Errors
    /// The errors of the store. Answers as [`extend`](Self::extend).
    pub async fn heartbeat(&self) -> Result<Option<CancelReason>> {
        self.lease.extend(&self.held, Span::ZERO).await
    }

    /// Enqueues a job into the same queue in the very step that completes this one, and not at all
    /// unless it completes. For other ends there is [`JobError::then`](crate::JobError::then). Make
    /// the job with `Queue::new_job` of a handle on that queue. It goes on with the trace context
    /// of this job, the headers `traceparent` and `tracestate`, unless it brings its own.
    pub fn then(&self, job: NewJob) {
        self.held.push_then(job);
    }

    /// The batch that this job is a member of, for adding further members from inside.
    ///
    /// ```
    /// use queue_worker::Router;
    ///
    /// let router = Router::new(()).handle("row", |row: Vec<String>, job| async move {
    ///     for (at, part) in row.iter().enumerate().skip(1) {
    ///         job.batch()?.add(format!("{part}-{at}"), &vec![part.clone()])?;
    ///     }
    ///     Ok(())
    /// })?;
    /// # Ok::<(), queue_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// `Invalid` if the job is a member of no batch, with
    /// [`InvalidMember`](crate::batches::InvalidMember) as the source. A worker over a service does
    /// not learn of which batch a job is a member.
    pub fn batch(&self) -> Result<ContextBatch<'_, S>> {
        ContextBatch::of(self, self.held.end_signals())
    }

    /// The jobs that are to follow so far, for a handler that completes the job in a transaction of
    /// its own.
    pub fn followers(&self) -> Vec<NewJob> {
        self.held.then()
    }
}

impl<S> Context<S> {
    /// The codec of results, of progress and of the jobs that follow.
    pub(crate) fn codec(&self) -> &dyn Codec {
        self.codecs.as_ref().map_or(&Json, |codecs| codecs.for_payload(self.payload()))
    }
}

impl Context {
    /// Sets the limit of the kind. A limit for the job itself comes before it.
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
