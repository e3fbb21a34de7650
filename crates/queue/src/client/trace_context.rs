//! Writes the context of the current trace into the headers of a job, in the format of the W3C
//! Trace Context (level 1, version 00). The worker reads it: `queue_worker::worker::trace::remote`.

use opentelemetry::trace::{SpanContext, TraceContextExt as _, TraceFlags};
use queue_core::{Headers, NewJob};
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

const PARENT: &str = "traceparent";
const STATE: &str = "tracestate";

/// The longest `tracestate` that vendors must pass on, in characters.
const STATE_MAX: usize = 512;

/// Adds the trace context of the current span, if there is one, to a job that has none of its own.
/// Parts that do not fit beside its headers are left out.
pub(crate) fn carry_trace(job: &mut NewJob) {
    if [PARENT, STATE].iter().any(|name| job.headers.get(name).is_some()) {
        return;
    }
    if let Some(context) = current_context() {
        carry(&mut job.headers, &context);
    }
}

/// The trace context of the current span, if it has one.
pub(super) fn current_context() -> Option<SpanContext> {
    let span = Span::current();
    if span.is_disabled() {
        return None;
    }
    let context = span.context();
    Some(context.span().span_context().clone()).filter(SpanContext::is_valid)
}

fn carry(headers: &mut Headers, context: &SpanContext) {
    // This version of the format must not pass on other flags.
    let flags = context.trace_flags() & TraceFlags::SAMPLED;
    let parent = format!("00-{}-{}-{:02x}", context.trace_id(), context.span_id(), flags);
    let Ok(traced) = headers.with(PARENT, parent) else { return };
    *headers = traced;
    let state = context.trace_state().header();
    if state.is_empty() || state.chars().count() > STATE_MAX {
        return;
    }
    if let Ok(traced) = headers.with(STATE, state) {
        *headers = traced;
    }
}

#[cfg(test)]
mod tests {
    use super::{STATE_MAX, carry};
    use opentelemetry::trace::{SpanContext, SpanId, TraceFlags, TraceId, TraceState};
    use queue_core::Headers;

    const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";

    /// A state of one entry for each value.
    fn context(values: &[String]) -> SpanContext {
        let entries = values.iter().enumerate().map(|(n, value)| (format!("v{n}"), value.clone()));
        let state = TraceState::from_key_value(entries).expect("a valid state");
        let trace = TraceId::from_hex("0af7651916cd43dd8448eb211c80319c").expect("a valid id");
        let span = SpanId::from_hex("00f067aa0ba902b7").expect("a valid id");
        SpanContext::new(trace, span, TraceFlags::new(0xff), false, state)
    }

    fn carried(mut headers: Headers, values: &[String]) -> (Option<String>, Option<String>) {
        carry(&mut headers, &context(values));
        let get = |name| headers.get(name).map(str::to_owned);
        (get("traceparent"), get("tracestate"))
    }

    #[test]
    fn a_context_is_written_as_the_w3c_says_and_only_its_sampled_flag_goes_on() {
        let carried = carried(Headers::NONE, &["x".into()]);
        assert_eq!(carried, (Some(PARENT.into()), Some("v0=x".into())));
    }

    #[test]
    fn a_state_of_512_characters_goes_along_and_a_longer_one_is_left_out() {
        let of = |length: usize| ["x".repeat(256), "y".repeat(length - 256 - "v0=,v1=".len())];
        let state = carried(Headers::NONE, &of(STATE_MAX)).1.expect("it goes along");
        assert_eq!(state.len(), STATE_MAX);
        assert_eq!(carried(Headers::NONE, &of(STATE_MAX + 1)), (Some(PARENT.into()), None));
    }

    #[test]
    fn what_does_not_fit_beside_the_headers_of_a_job_is_left_out() {
        let state = ["x".to_owned()];
        let headers = |count: usize| Headers::new((0..count).map(|n| (n.to_string(), "x"))).expect("few");
        assert_eq!(carried(headers(15), &state), (Some(PARENT.into()), None));
        assert_eq!(carried(headers(16), &state), (None, None));
        let nearly_full = Headers::new([("a", "x".repeat(4096 - 1 - 11 - 55))]).expect("just so");
        assert_eq!(carried(nearly_full, &state), (Some(PARENT.into()), None), "in bytes too");
    }
}
