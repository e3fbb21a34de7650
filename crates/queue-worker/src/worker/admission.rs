use super::{HeldJob, shared::Shared};
use queue_core::Span;
use tokio::time::Instant;

/// What becomes of a job for which a handler is free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Admission {
    /// It starts now, and counts as started under every rate limit.
    Start,
    /// It is not worth a start: cancelled, lost or lapsed before its turn, or its queue was paused, or the worker stops.
    GiveBack,
    /// It did not start by the time that its producer gave it, and is ended.
    TooLate,
    /// Its kind is over its rate. It is put back until its turn.
    PutBack(Span),
}

pub(super) fn admit(shared: &Shared, job: &HeldJob) -> Admission {
    let queue = &shared.queues[job.lane()];
    let start = queue.rate.as_ref().and_then(|_| job.take_start());
    let now = Instant::now();
    if shared.signals.stop.is_cancelled() || !job.may_start() || queue.is_paused() {
        return Admission::GiveBack;
    }
    if job.is_too_late() {
        return Admission::TooLate;
    }
    if let Err(wait) = shared.kinds.admit(job.meta(), shared.options.lease) {
        return Admission::PutBack(Span::new("wait", wait).unwrap_or(Span::MAX));
    }
    // What the library does for itself uses up no start of the application's: dropped, it is free for another job.
    if let Some(start) = start.filter(|_| !job.meta().kind.is_reserved()) {
        start.start(now);
    }
    Admission::Start
}
