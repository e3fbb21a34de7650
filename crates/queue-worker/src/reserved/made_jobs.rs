//! What subscribers of `tracing` see of the jobs that a schedule makes. No program enqueues them,
//! so each of them begins a trace.

use crate::worker::TRACE_TARGET;
use queue_core::{JobMeta, NewJob};
use tracing::{Span, debug, field::Empty, info_span};

/// Opens the span of each job of a tick, whose context goes along with the job. A client that
/// enqueues ticks in place of a worker calls this too.
pub fn trace_ticks(schedule: &JobMeta, jobs: &mut [NewJob]) {
    for job in jobs {
        let span = span(schedule, job);
        #[cfg(feature = "opentelemetry")]
        if !span.is_disabled() {
            export(&span, schedule, job);
        }
        debug!(target: TRACE_TARGET, parent: &span, "a schedule makes a job");
    }
}

fn span(schedule: &JobMeta, job: &NewJob) -> Span {
    info_span!(
        target: TRACE_TARGET,
        parent: None,
        "create",
        queue = %schedule.queue,
        id = %job.id,
        schedule = %schedule.id,
        otel.kind = Empty,
    )
}

/// Says to exporters of OpenTelemetry what the span is, by the conventions for messaging, and sends
/// its context along.
#[cfg(feature = "opentelemetry")]
fn export(span: &Span, schedule: &JobMeta, job: &mut NewJob) {
    use opentelemetry::{
        Context,
        trace::{TraceContextExt as _, TraceFlags},
    };
    use queue_core::Headers;
    use tracing_opentelemetry::OpenTelemetrySpanExt as _;

    // It fails without a subscriber of OpenTelemetry.
    if span.set_parent(Context::new()).is_err() {
        return;
    }
    span.record("otel.kind", "producer");
    for (name, text) in [
        ("messaging.system", "queue"),
        ("messaging.operation.name", "create"),
        ("messaging.operation.type", "create"),
        ("messaging.destination.name", schedule.queue.as_str()),
        ("messaging.message.id", job.id.as_str()),
    ] {
        span.set_attribute(name, text.to_owned());
    }
    let context = span.context();
    context.span().update_name(format!("create {}", schedule.queue));
    let begun = context.span().span_context().clone();
    // A root has no state of a vendor yet.
    let flags = begun.trace_flags() & TraceFlags::SAMPLED;
    let parent = format!("00-{}-{}-{flags:02x}", begun.trace_id(), begun.span_id());
    if let Ok(headers) = Headers::NONE.with("traceparent", parent) {
        headers.trace_on(std::slice::from_mut(job));
    }
}
