use super::TARGET;
use queue_core::{Error, QueueName, Result};
use tracing::{Span, debug_span, field::Empty, trace_span};

/// One claim.
pub(in crate::worker) fn claim(queue: &QueueName, limit: usize) -> Span {
    debug_span!(target: TARGET, parent: None, "claim", %queue, limit, jobs = Empty, error = Empty)
}

/// One call that stores what came of attempts.
pub(in crate::worker) fn settle(jobs: usize) -> Span {
    debug_span!(target: TARGET, parent: None, "settle", jobs, error = Empty)
}

/// One call that extends leases.
pub(in crate::worker) fn heartbeat(jobs: usize) -> Span {
    trace_span!(target: TARGET, parent: None, "heartbeat", jobs, error = Empty)
}

/// Records what went wrong, if something did.
pub(in crate::worker) fn answered<T>(span: &Span, answer: &Result<T, Error>) {
    if let (false, Err(error)) = (span.is_disabled(), answer) {
        span.record("error", tracing::field::display(error));
    }
}
