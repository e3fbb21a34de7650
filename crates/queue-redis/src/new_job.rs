//! New jobs as scripts take them, in the order that `lua/part/admit.lua` reads.

use crate::{
    body::write_body,
    gate::{gate_bytes, write_signals},
    row::{NEVER, priority_bytes, push_short, six},
    shapes::two,
};
use queue_core::{Gate, NewJob, OnFailed, OnWaiting, SharedTerms, Span};

/// The marks of a new job.
const AWAITED_NEW: u8 = 1;
const REPLACE_FAILED: u8 = 2;
const EXPIRES_NEW: u8 = 4;
const REPLACE_WAITING: u8 = 8;
const TAGS_NEW: u8 = 16;
const TERMS_NEW: u8 = 32;
const GATE_NEW: u8 = 64;
const SIGNALS_NEW: u8 = 128;
/// Stands in a byte of its own.
const PARTITION_NEW: u8 = 1;

/// Writes what decides the first state of a new job besides the time: delay, marks and priority,
/// and how long it may be put off where it takes the place of a waiting one; last a byte if it has
/// a partition. Jobs of a batch often share it.
pub(crate) fn options(new: &NewJob) -> Vec<u8> {
    let mut options = Vec::with_capacity(15);
    let marks = u8::from(new.awaited) * AWAITED_NEW
        + u8::from(new.on_failed == OnFailed::Replace) * REPLACE_FAILED
        + u8::from(new.expires_in.is_some()) * EXPIRES_NEW
        + u8::from(new.on_waiting != OnWaiting::Block) * REPLACE_WAITING
        + u8::from(!new.tags.is_empty()) * TAGS_NEW
        + u8::from(!new.terms.is_plain()) * TERMS_NEW
        + u8::from(new.gate.is_some()) * GATE_NEW
        + u8::from(!new.end_signals.is_empty()) * SIGNALS_NEW;
    options.extend_from_slice(&six(wait(new).as_millis().unsigned_abs()));
    options.push(marks);
    options.extend_from_slice(&priority_bytes(new.priority));
    if let OnWaiting::Replace { max_wait } = new.on_waiting {
        options.extend_from_slice(&six(max_wait.map_or(NEVER, |wait| wait.as_millis().unsigned_abs())));
    }
    if new.partition.is_some() {
        options.push(PARTITION_NEW);
    }
    options
}

/// Writes what only amendments change of the state string: the payload's length, and the parts
/// behind error and progress.
pub(crate) fn head(new: &NewJob) -> Vec<u8> {
    let mut head = Vec::with_capacity(26 + new.id.as_str().len() + new.kind.as_str().len());
    let payload_bytes = u32::try_from(new.payload.bytes.len()).expect("a call has at most 512 MiB");
    head.extend_from_slice(&payload_bytes.to_be_bytes());
    push_short(&mut head, new.id.as_str().as_bytes());
    push_short(&mut head, new.kind.as_str().as_bytes());
    if let Some(expires_in) = new.expires_in {
        head.extend_from_slice(&six(expires_in.as_millis().unsigned_abs()));
    }
    head.extend(terms_bytes(&new.terms));
    if let Some(tags) = new.tags.to_text() {
        head.extend(with_length(tags.as_bytes()));
    }
    if let Some(partition) = &new.partition {
        push_short(&mut head, partition.as_str().as_bytes());
    }
    if let Some(gate) = new.gate {
        head.extend(gate_bytes(&Gate::begin(gate)));
    }
    head
}

/// How long a new job waits: behind a closed gate for its time-out.
fn wait(new: &NewJob) -> Span {
    let closed = new.gate.filter(|gate| Gate::begin(*gate).is_closed(0));
    closed.map_or(new.delay, |gate| gate.timeout.unwrap_or(Span::MAX))
}

/// Writes the payload with its headers, behind the end signals of a job that has some. `number` is
/// that of the queue.
pub(crate) fn new_body(new: &NewJob, number: u64) -> Vec<u8> {
    let body = write_body(new);
    if new.end_signals.is_empty() {
        return body;
    }
    [with_length(&write_signals(&new.end_signals, number)), body].concat()
}

/// Terms behind their length; nothing for a plain job.
pub(crate) fn terms_bytes(terms: &SharedTerms) -> Vec<u8> {
    let bytes = terms.to_bytes();
    if bytes.is_empty() { bytes } else { with_length(&bytes) }
}

fn with_length(part: &[u8]) -> Vec<u8> {
    [&two(part.len()).to_be_bytes()[..], part].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::{APPLY_TEXT, assert_same_constants};
    use queue_core::{ContentType, EndSignal, JobId, Kind, NewGate, Payload};

    fn plain() -> NewJob {
        let payload = Payload::new("x", ContentType::from_static("text/plain"));
        NewJob::new(JobId::from_static("a"), Kind::from_static("k"), payload)
    }

    #[test]
    fn a_plain_job_writes_nothing_but_its_id_and_its_kind() {
        let plain = plain();
        assert_eq!(new_body(&plain, 1), b"\x0atext/plainx");
        assert_eq!((head(&plain), options(&plain)[6]), (vec![0, 0, 0, 1, 1, b'a', 1, b'k'], 0));
    }

    #[test]
    fn a_gate_stands_at_the_end_of_the_head_and_signals_before_the_payload() {
        let gate = NewGate { needs: 7, is_sealed: false, timeout: None };
        let new = plain().with_gate(gate).with_end_signals([EndSignal::to(JobId::from_static("b"))]);
        let head_of_plain = head(&plain());
        assert_eq!(head(&new), [&head_of_plain[..], &gate_bytes(&Gate::begin(gate))].concat());
        assert_eq!(new_body(&new, 1), b"\0\x09\0\0\0\0\0\0\0\x01b\x0atext/plainx");
        assert_eq!(options(&new)[..7], [&six(Span::MAX.as_millis().unsigned_abs())[..], &[192]].concat());
    }

    #[test]
    fn scripts_have_the_same_numbers_for_marks_of_new_jobs() {
        assert_same_constants!(
            APPLY_TEXT: AWAITED_NEW, REPLACE_FAILED, EXPIRES_NEW, REPLACE_WAITING, TAGS_NEW, TERMS_NEW, GATE_NEW,
            SIGNALS_NEW, PARTITION_NEW,
        );
    }
}
