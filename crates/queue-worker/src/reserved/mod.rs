//! The jobs that this library enqueues for itself, whose kinds begin with `queue.`. Every worker
//! has their handlers beside its router, and so does pull mode. Such a job is never handed out.

mod made_jobs;
mod schedule;

pub use made_jobs::trace_ticks;

use crate::{
    batches::{self, BATCH_KIND, HALT_KIND},
    operations::{self, OPERATION_KIND},
    worker::TRACE_TARGET,
};
use queue_core::{JobMeta, LeaseToken, Payload, Result, Span, Storage, UnreadableWaits, lifecycle::Event};
use queue_schedule::Ahead;

/// How long a reserved job is put back when the store does not answer its handler.
pub const RESERVED_RETRY: Span = Span::from_secs(1);

/// A job of a reserved kind, as it was claimed.
#[derive(Clone, Copy, Debug)]
pub struct ReservedJob<'a> {
    /// The metadata of the job at the claim.
    pub meta: &'a JobMeta,
    /// What the job is to do.
    pub payload: &'a Payload,
    /// The proof of the claim, which the event carries.
    pub token: LeaseToken,
    /// What this program knows of the jobs that it cannot read.
    pub unreadable: &'a UnreadableWaits,
}

/// What is to become of a reserved job.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReservedOutcome {
    /// How to settle the job.
    pub event: Event,
    /// How many ticks of a schedule are left out, as its policy says.
    pub ticks_skipped: usize,
    /// Why this build or this machine cannot read the job, which is then put back for another.
    pub unreadable: Option<String>,
    /// How far the progress of a schedule lay ahead of the clock, if that was too far.
    pub ahead: Option<Ahead>,
}

/// Does what a job of a [reserved kind](queue_core::Kind::is_reserved) asks for, and answers how to
/// settle it: once, under the lease of its claim. Programs that claim jobs themselves, without a
/// [`Worker`](crate::Worker), call this in place of their own handlers.
///
/// A job that this build or this machine cannot read (it is of a kind or a layout of a newer
/// version, or in a time zone that is not known here) is put back uncharged, for a program that
/// can. The log names it once.
///
/// # Errors
/// The errors of the store, which the handler may call. The job is then to be put back for
/// [`RESERVED_RETRY`]. A dropped future leaves the job leased, and its work may be done again.
pub async fn handle_reserved(store: &dyn Storage, job: ReservedJob<'_>) -> Result<ReservedOutcome> {
    // On the heap, since the future of every job of an application is as large as this one.
    match job.meta.kind.as_str() {
        queue_schedule::SCHEDULE_KIND => Box::pin(schedule::wake(store, job)).await,
        OPERATION_KIND => Box::pin(operations::advance(store, job)).await,
        BATCH_KIND => Box::pin(batches::wake(store, job)).await,
        HALT_KIND => Box::pin(batches::halt(store, job)).await,
        _ => Ok(put_back(job, "this version of the library does not know the kind")),
    }
}

/// Leaves a job to a program that can read it. None of its lives may end on the word of one build
/// or one machine.
pub(crate) fn put_back(job: ReservedJob<'_>, reason: impl Into<String>) -> ReservedOutcome {
    let reason = reason.into();
    let wait = job.unreadable.note(job.meta);
    if wait.is_first {
        let JobMeta { queue, id, .. } = job.meta;
        tracing::warn!(
            target: TRACE_TARGET, %queue, job = %id, reason,
            "this program cannot read a job of the library's own, and leaves it to others"
        );
    }
    let event = Event::PutBack { token: job.token, delay: wait.delay };
    ReservedOutcome { unreadable: Some(reason), ..event.into() }
}

impl From<Event> for ReservedOutcome {
    fn from(event: Event) -> Self {
        Self { event, ticks_skipped: 0, unreadable: None, ahead: None }
    }
}
