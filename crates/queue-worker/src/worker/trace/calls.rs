//! The spans of calls that serve many jobs.

use super::TARGET;
use queue_core::{Error, JobMeta, QueueName, Result};
use std::fmt;
use tracing::{Span, debug, debug_span, field::Empty, trace_span};

/// The span of one claim.
pub(in crate::worker) fn claim(queue: &QueueName, limit: usize) -> Span {
    debug_span!(target: TARGET, parent: None, "claim", %queue, limit = number(limit), jobs = Empty, error = Empty)
}

/// Logs what a claim brought. Most claims of an idle worker bring nothing, which is no news.
pub(in crate::worker) fn claimed(span: &Span, jobs: usize) {
    span.record("jobs", number(jobs));
    if jobs > 0 {
        debug!(target: TARGET, parent: span, "jobs are claimed");
    }
}

/// The span of one call that stores outcomes.
pub(in crate::worker) fn settle(jobs: usize) -> Span {
    debug_span!(target: TARGET, parent: None, "settle", jobs = number(jobs), error = Empty)
}

/// The span of one call that extends leases.
pub(in crate::worker) fn heartbeat(jobs: usize) -> Span {
    trace_span!(target: TARGET, parent: None, "heartbeat", jobs = number(jobs), error = Empty)
}

/// Logs that the outcome of an attempt is durable.
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

/// A signed number: exporters of OpenTelemetry write any other as text.
fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
