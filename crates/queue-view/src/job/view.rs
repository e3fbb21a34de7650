//! The metadata of a job as JSON.

use super::{ErrorView, TermsView};
use crate::words::millis;
use queue_core::{Gate, JobMeta, Partition, Reason, Tag, Tally, Timestamp};
use serde::Serialize;

/// The metadata of a job as JSON: one row of a listing, and the beginning of [`JobDetails`] and
/// [`WholeJob`]. Every field but `partition` and `gate` is always there; times are store times.
///
/// [`JobDetails`]: crate::JobDetails
/// [`WholeJob`]: crate::WholeJob
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Job))]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of the JSON")]
pub struct JobView<'a> {
    queue: &'a str,
    id: &'a str,
    /// Names this life of the id.
    seq: u64,
    revision: u64,
    kind: &'a str,
    tags: Vec<&'a str>,
    /// The partition in which it takes its turn; absent if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    partition: Option<&'a str>,
    /// `queued`, `processing`, `failing`, `completed`, `failed` or `cancelled`.
    state: &'static str,
    /// Waits for a due time that is still to come.
    scheduled: bool,
    /// Its time to start has passed while it waited: it never runs, and will be cancelled.
    expired: bool,
    priority: i16,
    /// Attempts that were charged, plus the one that runs or has completed the job.
    attempts_made: u32,
    failures: u32,
    stalls: u32,
    #[serde(flatten)]
    terms: TermsView,
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
    /// How long it has waited, or waited for its last claim, from its due time on.
    wait_ms: Option<u64>,
    /// How long its last attempt took, or has been running.
    run_ms: Option<u64>,
    cancel_requested: bool,
    /// A caller waits, or waited, for the outcome.
    awaited: bool,
    /// Why it is failed, or cancelled without a request.
    reason: Option<&'static str>,
    /// The last failure, without its details.
    error: Option<ErrorView<'a>>,
    /// The worker that holds it.
    worker: Option<&'a str>,
    lease_expires_at_ms: Option<i64>,
    /// What it waits or waited for; only of a job that has a gate.
    #[serde(skip_serializing_if = "Option::is_none")]
    gate: Option<GateView>,
}

impl<'a> JobView<'a> {
    /// A job as it is at a store time.
    pub fn of(job: &'a JobMeta, now: Timestamp) -> Self {
        let lease = job.lease.as_ref();
        Self {
            queue: job.queue.as_str(),
            id: job.id.as_str(),
            seq: job.seq.get(),
            revision: job.revision,
            kind: job.kind.as_str(),
            tags: job.tags.iter().map(Tag::as_str).collect(),
            partition: job.partition.as_ref().map(Partition::as_str),
            state: job.state.as_str(),
            scheduled: job.is_scheduled(now),
            expired: job.is_expired(now),
            priority: job.priority,
            attempts_made: job.attempts_made(),
            failures: job.failures,
            stalls: job.stalls,
            terms: TermsView::of(&job.terms),
            epoch: job.epoch,
            created_at_ms: job.created_at.as_millis(),
            run_at_ms: job.run_at.as_millis(),
            entered_at_ms: job.entered_at().as_millis(),
            claimed_at_ms: job.claimed_at.map(Timestamp::as_millis),
            failed_at_ms: job.failed_at.map(Timestamp::as_millis),
            finished_at_ms: job.finished_at.map(Timestamp::as_millis),
            purge_at_ms: job.purge_at.map(Timestamp::as_millis),
            expires_at_ms: job.expires_at().map(Timestamp::as_millis),
            wait_ms: job.wait_time(now).map(millis),
            run_ms: job.run_time(now).map(millis),
            cancel_requested: job.cancel_requested,
            awaited: job.awaited,
            reason: job.reason.map(Reason::as_str),
            error: job.last_error.as_ref().map(ErrorView::from),
            worker: lease.map(|lease| lease.worker.as_str()),
            lease_expires_at_ms: lease.map(|lease| lease.expires_at.as_millis()),
            gate: job.gate.as_ref().map(|gate| GateView::of(gate, job.is_gated(now))),
        }
    }
}

/// The gate of a job: how many end signals it needs, how many it has counted, and of which ends.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Gate))]
pub(super) struct GateView {
    needs: u64,
    signals: u64,
    completed: u64,
    failed: u64,
    /// Of cancelled, expired and deleted jobs.
    cancelled: u64,
    /// Whether it opens as soon as it has counted what it needs.
    sealed: bool,
    /// Whether the job waits behind it: its time-out opens it too.
    closed: bool,
}

impl GateView {
    fn of(gate: &Gate, closed: bool) -> Self {
        let Gate { needs, signals, tally, is_sealed, .. } = *gate;
        let Tally { completed, failed, cancelled } = tally;
        Self { needs, signals, completed, failed, cancelled, sealed: is_sealed, closed }
    }
}
