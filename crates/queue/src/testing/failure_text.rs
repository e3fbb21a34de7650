//! The message of a failed assertion.

use queue_core::{JobMeta, Payload, QueueName, State, Timestamp};
use std::{fmt::Write, time::Duration};

/// The most jobs that the message of a failed assertion shows.
const JOBS_SHOWN: usize = 20;
/// The most characters of each payload in that message.
const CHARS_SHOWN: usize = 200;

/// What an assertion expected and found.
pub(super) struct AssertionFailure<'a> {
    pub(super) queue: &'a QueueName,
    pub(super) now: Timestamp,
    pub(super) expected: &'a [String],
    pub(super) count: &'a str,
    pub(super) found: usize,
    pub(super) there_is: &'a [(JobMeta, Payload)],
}

/// The message for the author of the test.
pub(super) fn failure(assertion: &AssertionFailure<'_>) -> String {
    let AssertionFailure { queue, count, found, there_is, .. } = assertion;
    let wanted = if assertion.expected.is_empty() { "any".to_owned() } else { assertion.expected.join(", ") };
    let mut text =
        format!("queue {queue:?} has {found} jobs as expected and not {count}\nexpected: {wanted}\n");
    if there_is.is_empty() {
        text.push_str("there is no job");
        return text;
    }
    text.push_str("there is:");
    for (meta, payload) in there_is.iter().take(JOBS_SHOWN) {
        write!(text, "\n  {}", job(assertion.now, meta, payload)).expect("a string takes text");
    }
    if let more @ 1.. = there_is.len().saturating_sub(JOBS_SHOWN) {
        write!(text, "\n  and {more} more").expect("a string takes text");
    }
    text
}

fn job(now: Timestamp, meta: &JobMeta, payload: &Payload) -> String {
    let JobMeta { id, kind, priority, .. } = meta;
    let when = match (meta.state, meta.run_at.since(now)) {
        (State::Queued | State::Failing, Duration::ZERO) => "due now".to_owned(),
        (State::Queued | State::Failing, wait) => format!("due in {wait:?}"),
        (state, _) => format!("{state:?}"),
    };
    let attempts = match meta.attempts_made() {
        0 => String::new(),
        made => format!(", {made} attempts made"),
    };
    let payload = String::from_utf8_lossy(&payload.bytes);
    let payload: String = payload.chars().take(CHARS_SHOWN).collect();
    format!("{id:?}: kind {kind:?}, priority {priority}, {when}{attempts}, payload {payload}")
}
