use super::{HeldJob, shared::Shared};
use queue_core::Span;
use tokio::time::Instant;

/// What becomes of a job for which a handler is free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Admission {
    /// It starts now, and counts as started under every rate limit.
    Start,
    /// It is not worth a start: cancelled or lost while it waited, or its queue was paused.
    GiveBack,
    /// Its kind is over its rate. It is put back until its turn.
    PutBack(Span),
}

pub(super) fn admit(shared: &Shared, job: &HeldJob) -> Admission {
    let (start, now) = (job.take_start(), Instant::now());
    if job.cancel_reason().is_some() || job.queue().is_paused() {
        return Admission::GiveBack;
    }
    match shared.kinds.admit(job.meta(), shared.options.lease, now) {
        Ok(()) => {
            if let Some(start) = start {
                start.start(now);
            }
            Admission::Start
        }
        Err(wait) => Admission::PutBack(Span::new("wait", wait).unwrap_or(Span::MAX)),
    }
}
