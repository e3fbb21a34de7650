//! What exporters of OpenTelemetry see of an attempt.

use super::{
    TARGET,
    remote::{Remote, remote},
};
use crate::worker::hold::HeldJob;
use opentelemetry::{
    Context,
    trace::{Status, TraceContextExt as _},
};
use queue_core::{Failure, JobMeta};
use std::time::Duration;
use tracing::{Span, debug};
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

/// An attempt that begins later than this after its enqueue has a trace of its own, with a link. A
/// reader of the producer's trace looks for what the producer waited for, and backends close
/// traces.
const CHILD_MAX: Duration = Duration::from_secs(60);

/// Most bytes of a header that an event shows.
const SHOWN_MAX: usize = 64;

/// Says to exporters what the span of an attempt is, by the conventions for messaging, and which
/// trace it goes on with.
pub(super) fn begin(span: &Span, job: &HeldJob) {
    let meta = job.meta();
    let mut malformed = None;
    let (parent, link) = match remote(job.headers()) {
        Remote::Context(context) if is_child(meta) => {
            (Context::new().with_remote_span_context(context), None)
        }
        Remote::Context(context) => (Context::new(), Some(context)),
        Remote::Malformed(text) => {
            malformed = Some(text);
            (Context::new(), None)
        }
        Remote::None => (Context::new(), None),
    };
    // Before anything else, since a span that has begun keeps its parent. It fails without a
    // subscriber of OpenTelemetry.
    if span.set_parent(parent).is_err() {
        return;
    }
    if let Some(link) = link {
        span.add_link(link);
    }
    span.record("otel.kind", "consumer");
    describe(span, job);
    // An attribute would be a field, which stands in every line that the handler logs.
    span.context().span().update_name(format!("process {}", meta.queue));
    if let Some(text) = malformed {
        let shown: String = text.chars().take(SHOWN_MAX).collect();
        debug!(target: TARGET, parent: span, traceparent = ?shown, "the job brought no valid trace context");
    }
}

/// Marks the span of an attempt that failed.
pub(super) fn failed(span: &Span, failure: &Failure) {
    span.set_attribute("error.type", failure.name().to_owned());
    span.set_status(Status::error(failure.message().to_owned()));
}

/// Whether this is the first start of a job that was to start at once and did.
fn is_child(meta: &JobMeta) -> bool {
    let waited = meta.claimed_at.map(|at| at.since(meta.created_at));
    meta.epoch == 1 && meta.run_at <= meta.created_at && waited.is_some_and(|waited| waited <= CHILD_MAX)
}

fn describe(span: &Span, job: &HeldJob) {
    let meta = job.meta();
    let texts = [
        ("messaging.system", "queue"),
        ("messaging.operation.name", "process"),
        ("messaging.operation.type", "process"),
        ("messaging.destination.name", meta.queue.as_str()),
        ("messaging.message.id", meta.id.as_str()),
        ("queue.job.kind", meta.kind.as_str()),
    ];
    for (name, text) in texts {
        span.set_attribute(name, text.to_owned());
    }
    let numbers = [
        ("messaging.message.body.size", job.payload().bytes.len() as u64),
        ("queue.job.attempt", meta.attempt().into()),
        ("queue.job.seq", meta.seq.get()),
        ("queue.job.epoch", meta.epoch),
    ];
    for (name, number) in numbers {
        // The API has no unsigned numbers; a count this large does not come up.
        span.set_attribute(name, i64::try_from(number).unwrap_or(i64::MAX));
    }
}
