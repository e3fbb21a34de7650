use super::TARGET;
use queue_core::{Error, JobMeta, QueueName, Result};
use std::fmt;
use tracing::{Span, debug, debug_span, field::Empty, trace_span};

/// One claim.
pub(in crate::worker) fn claim(queue: &QueueName, limit: usize) -> Span {
    debug_span!(target: TARGET, parent: None, "claim", %queue, limit = number(limit), jobs = Empty, error = Empty)
}

/// What a claim brought. Most of an idle worker bring nothing, which is no news.
pub(in crate::worker) fn claimed(span: &Span, jobs: usize) {
    span.record("jobs", number(jobs));
    if jobs > 0 {
        debug!(target: TARGET, parent: span, "jobs are claimed");
    }
}

/// One call that stores what came of attempts.
pub(in crate::worker) fn settle(jobs: usize) -> Span {
    debug_span!(target: TARGET, parent: None, "settle", jobs = number(jobs), error = Empty)
}

/// One call that extends leases.
pub(in crate::worker) fn heartbeat(jobs: usize) -> Span {
    trace_span!(target: TARGET, parent: None, "heartbeat", jobs = number(jobs), error = Empty)
}

/// The outcome of an attempt is durable, as this.
pub(in crate::worker) fn stored(job: &JobMeta, outcome: impl fmt::Debug) {
    debug!(
        target: TARGET,
        parent: None,
        queue = %job.queue,
        id = %job.id,
        seq = job.seq.get(),
        ?outcome,
        "the outcome is stored"
    );
}

/// Records what went wrong, if something did.
pub(in crate::worker) fn answered<T>(span: &Span, answer: &Result<T, Error>) {
    if let (false, Err(error)) = (span.is_disabled(), answer) {
        span.record("error", tracing::field::display(error));
    }
}

/// Exporters of OpenTelemetry know signed numbers; any other comes out as text.
fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
