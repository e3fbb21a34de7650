//! The jobs that this library enqueues for itself: kinds that begin with `queue.`. Every worker carries their handlers, whatever
//! its router, and so does pull mode; nobody hands such a job out.

mod schedule;

use queue_core::{
    Failure, JobMeta, LeaseToken, Payload, Result, Span, Storage,
    lifecycle::{Cause, Event},
};

/// How long a reserved job waits that the store could not answer for.
pub const RESERVED_RETRY: Span = Span::from_secs(1);

/// A job of a reserved kind, as it was claimed.
#[derive(Clone, Copy, Debug)]
pub struct ReservedJob<'a> {
    /// Its metadata at the claim.
    pub meta: &'a JobMeta,
    /// What it is to do.
    pub payload: &'a Payload,
    /// The proof of the claim, which the event carries.
    pub token: LeaseToken,
}

/// What is to become of a reserved job.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Handled {
    /// How to settle it.
    pub event: Event,
    /// Ticks of a schedule that this leaves out, as its policy says.
    pub ticks_skipped: usize,
}

/// Does what a job of a [reserved kind](queue_core::Kind::is_reserved) asks for, and answers how to settle it: with its own lease,
/// once. For those who claim jobs themselves, without a [`Worker`](crate::Worker): these jobs are not for their handlers.
///
/// A kind that this version does not know is given back, uncharged, for one that does.
///
/// # Errors
/// Those of the store, which it may ask. The job is then to be put back for [`RESERVED_RETRY`]. A dropped future leaves the job
/// leased, and what it did may be done again.
pub async fn handle_reserved(store: &dyn Storage, job: ReservedJob<'_>) -> Result<Handled> {
    match job.meta.kind.as_str() {
        queue_schedule::SCHEDULE_KIND => schedule::wake(store, job).await,
        _ => Ok(unknown(job).into()),
    }
}

impl From<Event> for Handled {
    fn from(event: Event) -> Self {
        Self { event, ticks_skipped: 0 }
    }
}

fn unknown(job: ReservedJob<'_>) -> Event {
    let failure = Failure::new("UnknownKind", "this version of the library does not know the kind");
    let (token, cause) = (job.token, Cause::UnknownKind);
    Event::Fail { token, failure, cause, delay: None, retention: None, then: Vec::new() }
}
