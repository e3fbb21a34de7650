//! The trace context in the headers of a job, read as the W3C Trace Context says. The client writes
//! it in `queue::client::trace_context`.

use opentelemetry::trace::{SpanContext, SpanId, TraceFlags, TraceId, TraceState};
use queue_core::Headers;
use std::str::FromStr as _;

/// Bytes of a `traceparent` of version 00.
const PARENT_LENGTH: usize = 55;

/// What the headers tell of a trace.
pub(super) enum Remote<'h> {
    None,
    /// A text that is no trace context.
    Malformed(&'h str),
    Context(SpanContext),
}

pub(super) fn remote(headers: &Headers) -> Remote<'_> {
    let Some(parent) = headers.get("traceparent") else { return Remote::None };
    // A state that cannot be read costs no trace: its parent stands without it.
    let state = headers.get("tracestate").and_then(|state| TraceState::from_str(state).ok());
    match context(parent, state.unwrap_or_default()) {
        Some(context) => Remote::Context(context),
        None => Remote::Malformed(parent),
    }
}

/// Reads a `traceparent`. One of a later version may go on behind what this version knows.
fn context(parent: &str, state: TraceState) -> Option<SpanContext> {
    let (known, rest) = parent.split_at_checked(PARENT_LENGTH)?;
    let mut parts = known.split('-');
    let mut part = |length| parts.next().filter(|part| part.len() == length && is_lower_hex(part));
    let version = part(2)?;
    let trace = part(32)?;
    let span = part(16)?;
    let flags = part(2)?;
    let ends = if version == "00" { rest.is_empty() } else { rest.is_empty() || rest.starts_with('-') };
    if !ends || version == "ff" {
        return None;
    }
    // The specification asks that flags of later versions are not passed on.
    let flags = TraceFlags::new(u8::from_str_radix(flags, 16).ok()?) & TraceFlags::SAMPLED;
    let trace = TraceId::from_hex(trace).ok()?;
    let span = SpanId::from_hex(span).ok()?;
    Some(SpanContext::new(trace, span, flags, true, state)).filter(SpanContext::is_valid)
}

fn is_lower_hex(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::{Remote, remote};
    use queue_core::Headers;

    const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    fn read(entries: &[(&str, &str)]) -> Option<(String, String, bool, String)> {
        let headers = Headers::new(entries.iter().map(|(name, value)| (*name, *value))).expect("valid");
        let Remote::Context(context) = remote(&headers) else { return None };
        assert!(context.is_remote());
        let (trace, span) = (context.trace_id().to_string(), context.span_id().to_string());
        Some((trace, span, context.is_sampled(), context.trace_state().header()))
    }

    #[test]
    fn a_context_is_read_with_its_flag_and_its_state() {
        let (trace, span, sampled, state) =
            read(&[("traceparent", PARENT), ("tracestate", "a=1,b=2")]).expect("valid");
        assert_eq!((trace.as_str(), span.as_str()), (&PARENT[3..35], &PARENT[36..52]));
        assert_eq!((sampled, state.as_str()), (true, "a=1,b=2"));
        assert!(!read(&[("traceparent", &PARENT.replace("-01", "-00"))]).expect("valid").2);
    }

    #[test]
    fn a_state_that_is_none_costs_no_trace() {
        let (_, _, _, state) =
            read(&[("traceparent", PARENT), ("tracestate", "no equals sign")]).expect("valid");
        assert_eq!(state, "");
    }

    #[test]
    fn a_later_version_is_read_as_far_as_it_is_known() {
        let later = PARENT.replacen("00-", "01-", 1);
        assert!(read(&[("traceparent", &later)]).is_some());
        assert!(read(&[("traceparent", &format!("{later}-more"))]).is_some());
        assert!(read(&[("traceparent", &format!("{later}more"))]).is_none());
        assert!(read(&[("traceparent", &later.replacen("01-", "ff-", 1))]).is_none());
    }

    #[test]
    fn nonsense_is_no_context() {
        let cut = |at: usize| PARENT[..at].to_owned();
        let zero_trace = format!("00-{}-b7ad6b7169203331-01", "0".repeat(32));
        let zero_span = format!("00-0af7651916cd43dd8448eb211c80319c-{}-01", "0".repeat(16));
        let wide = "é".repeat(40);
        let texts = [
            String::new(),
            cut(54),
            format!("{PARENT}-"),
            PARENT.to_uppercase(),
            zero_trace,
            zero_span,
            wide,
        ];
        for text in texts {
            assert!(read(&[("traceparent", &text)]).is_none(), "{text:?}");
        }
        assert!(read(&[("traceparent", &PARENT.replace('-', "+"))]).is_none());
        assert!(matches!(remote(&Headers::NONE), Remote::None));
    }
}
