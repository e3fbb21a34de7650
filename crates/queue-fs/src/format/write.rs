//! Writes changes one after another. The queue is written when it is another one than before.

use super::{
    FieldChange,
    amended::write_amended,
    job::{write_fixed, write_lifecycle},
    journal_change::kind,
    limits::write_limits,
    options::{has_options, write_options},
    pauses::write_pauses,
    series::write_series,
    wire::FieldWriter,
    worker::write_worker,
};
use bytes::Bytes;
use queue_core::{
    Attempt, ContentType, Payload, QueueName, Seq, SeriesEntry, Timestamp, WorkerId, WorkerInfo,
};
use queue_memory::{LimitChanges, PackedJob, Pauses};
use std::ops::Range;

pub(crate) fn queue(out: &mut Vec<u8>, queue: &QueueName) {
    let mut out = FieldWriter(out);
    out.u8(kind::QUEUE);
    out.name(queue);
}

/// Returns the ranges of the payload and the result.
pub(crate) fn put(out: &mut Vec<u8>, stored: &PackedJob) -> (Range<usize>, Option<Range<usize>>) {
    let mut out = FieldWriter(out);
    let has_options = has_options(stored);
    out.u8(if has_options { kind::PUT_WITH_OPTIONS } else { kind::PUT });
    out.u64(stored.seq.get());
    write_fixed(&mut out, stored);
    if has_options {
        write_options(&mut out, stored);
    }
    write_lifecycle(&mut out, stored, stored.course().attempts());
    out.name(&stored.traits.content_type);
    let payload = out.blob(&stored.payload);
    let course = stored.course();
    let result = kept(&mut out, as_kept(course.result.as_ref()), blob);
    kept(&mut out, as_kept(course.error_details.as_ref()), |out, details| out.blob(details));
    (payload, result)
}

/// Returns the range of the result, if there is a new one. `attempts` are the new ones.
pub(crate) fn update(
    out: &mut Vec<u8>,
    stored: &PackedJob,
    attempts: &[Attempt],
    content_type: Option<&ContentType>,
    result: FieldChange<&Payload>,
    error_details: FieldChange<&Bytes>,
) -> Option<Range<usize>> {
    let mut out = FieldWriter(out);
    out.u8(if content_type.is_some() { kind::UPDATE_WITH_TYPE } else { kind::UPDATE });
    out.u64(stored.seq.get());
    write_lifecycle(&mut out, stored, attempts);
    if let Some(content_type) = content_type {
        out.name(content_type);
    }
    let result = kept(&mut out, result, blob);
    kept(&mut out, error_details, |out, details| out.blob(details));
    result
}

pub(crate) fn amend(out: &mut Vec<u8>, stored: &PackedJob) {
    let mut out = FieldWriter(out);
    out.u8(kind::AMEND);
    write_amended(&mut out, stored);
}

pub(crate) fn remove(out: &mut Vec<u8>, seq: Seq) {
    let mut out = FieldWriter(out);
    out.u8(kind::REMOVE);
    out.u64(seq.get());
}

/// All pauses of a queue, none included.
pub(crate) fn pauses(out: &mut Vec<u8>, queue: &QueueName, pauses: &Pauses) {
    let mut out = FieldWriter(out);
    out.u8(if pauses.is_empty() { kind::RESUME } else { kind::PAUSE });
    out.name(queue);
    if !pauses.is_empty() {
        write_pauses(&mut out, pauses);
    }
}

/// Limits of a queue that were set or taken away.
pub(crate) fn limits(out: &mut Vec<u8>, queue: &QueueName, changes: &LimitChanges) {
    let mut out = FieldWriter(out);
    out.u8(kind::LIMITS);
    out.name(queue);
    write_limits(&mut out, changes);
}

pub(crate) fn worker(out: &mut Vec<u8>, worker: &WorkerInfo, until: Timestamp) {
    let mut out = FieldWriter(out);
    out.u8(kind::WORKER);
    write_worker(&mut out, worker);
    out.i64(until.as_millis());
}

pub(crate) fn retire(out: &mut Vec<u8>, worker: &WorkerId) {
    let mut out = FieldWriter(out);
    out.u8(kind::RETIRE);
    out.name(worker);
}

/// An entry of a series that is kept until then, or is removed.
pub(crate) fn series(out: &mut Vec<u8>, entry: &SeriesEntry, until: Option<Timestamp>) {
    out.push(if until.is_some() { kind::SERIES } else { kind::SERIES_GONE });
    write_series(&mut FieldWriter(out), entry, until);
}

fn as_kept<T>(part: Option<&T>) -> FieldChange<&T> {
    part.map_or(FieldChange::Gone, FieldChange::Now)
}

fn blob(out: &mut FieldWriter<'_>, payload: &Payload) -> Range<usize> {
    out.name(&payload.content_type);
    out.blob(&payload.bytes)
}

fn kept<T, R>(
    out: &mut FieldWriter<'_>,
    kept: FieldChange<&T>,
    write: impl Fn(&mut FieldWriter<'_>, &T) -> R,
) -> Option<R> {
    match kept {
        FieldChange::Same => out.u8(0),
        FieldChange::Gone => out.u8(1),
        FieldChange::Now(part) => {
            out.u8(2);
            return Some(write(out, part));
        }
    }
    None
}
