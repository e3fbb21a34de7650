//! The metadata of a job as answers show it.

use super::{BudgetOut, stamp};
use queue_core::{Failure, JobMeta, Span, Tag, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;

/// The metadata of a job.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Job)]
pub(crate) struct ShownJob<'a> {
    queue: &'a str,
    id: &'a str,
    /// Names this life of the id.
    seq: u64,
    revision: u64,
    kind: &'a str,
    tags: Vec<&'a str>,
    /// `queued`, `processing`, `failing`, `completed`, `failed` or `cancelled`.
    state: &'static str,
    /// Waits for a due time that is still to come.
    scheduled: bool,
    priority: i16,
    /// Attempts that were charged, plus the one that runs or has completed the job.
    attempts_made: u32,
    failures: u32,
    stalls: u32,
    max_attempts: BudgetOut,
    max_stalls: BudgetOut,
    /// How often it was claimed; `(seq, epoch)` only grows.
    epoch: u64,
    created_at_ms: i64,
    run_at_ms: i64,
    /// When it came into its state.
    entered_at_ms: i64,
    claimed_at_ms: Option<i64>,
    failed_at_ms: Option<i64>,
    finished_at_ms: Option<i64>,
    purge_at_ms: Option<i64>,
    /// When it expires unless it starts before.
    expires_at_ms: Option<i64>,
    time_limit_ms: Option<i64>,
    cancel_requested: bool,
    awaited: bool,
    /// Why it is Failed, or Cancelled without a request.
    reason: Option<&'static str>,
    /// The last failure, without its details.
    error: Option<ErrorOut<'a>>,
    /// Who holds it.
    worker: Option<&'a str>,
    lease_expires_at_ms: Option<i64>,
    on_failure: Option<&'a str>,
}

/// A failure, without its details.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = JobError)]
pub(crate) struct ErrorOut<'a> {
    /// What programs match on.
    pub(crate) name: &'a str,
    /// What people read.
    pub(crate) message: &'a str,
}

impl<'a> From<&'a Failure> for ErrorOut<'a> {
    fn from(failure: &'a Failure) -> Self {
        Self { name: failure.name(), message: failure.message() }
    }
}

impl<'a> ShownJob<'a> {
    /// A job as it is at a time.
    pub(crate) fn of(job: &'a JobMeta, now: Timestamp) -> Self {
        let lease = job.lease.as_ref();
        Self {
            queue: job.queue.as_str(),
            id: job.id.as_str(),
            seq: job.seq.get(),
            revision: job.revision,
            kind: job.kind.as_str(),
            tags: job.tags.iter().map(Tag::as_str).collect(),
            state: job.state.as_str(),
            scheduled: job.is_scheduled(now),
            priority: job.priority,
            attempts_made: job.attempts_made(),
            failures: job.failures,
            stalls: job.stalls,
            max_attempts: job.max_attempts.into(),
            max_stalls: job.max_stalls.into(),
            epoch: job.epoch,
            created_at_ms: stamp(job.created_at),
            run_at_ms: stamp(job.run_at),
            entered_at_ms: stamp(job.entered_at()),
            claimed_at_ms: job.claimed_at.map(stamp),
            failed_at_ms: job.failed_at.map(stamp),
            finished_at_ms: job.finished_at.map(stamp),
            purge_at_ms: job.purge_at.map(stamp),
            expires_at_ms: job.expires_at().map(stamp),
            time_limit_ms: job.time_limit.map(Span::as_millis),
            cancel_requested: job.cancel_requested,
            awaited: job.awaited,
            reason: job.reason.map(queue_core::Reason::as_str),
            error: job.last_error.as_ref().map(ErrorOut::from),
            worker: lease.map(|lease| lease.worker.as_str()),
            lease_expires_at_ms: lease.map(|lease| stamp(lease.expires_at)),
            on_failure: job.on_failure.as_ref().map(queue_core::Kind::as_str),
        }
    }
}
