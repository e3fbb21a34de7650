//! The changes that a record consists of, written and read.

use super::{
    FieldChange, InternedNames,
    job::{LifecycleFields, read_fixed, time, write_fixed, write_lifecycle},
    options::{has_options, read_options, write_options},
    wire::{FieldReader, FieldWriter, Malformed},
    worker::{read_worker, write_worker},
};
use bytes::Bytes;
use queue_core::{
    Attempt, ContentType, Headers, Payload, QueueName, Seq, Timestamp, WorkerId, WorkerInfo,
    lifecycle::TrackedJob,
};
use queue_memory::PackedJob;
use std::{borrow::BorrowMut, ops::Range};

mod kind {
    pub(super) const QUEUE: u8 = 0;
    pub(super) const PUT: u8 = 1;
    pub(super) const UPDATE: u8 = 2;
    pub(super) const REMOVE: u8 = 3;
    pub(super) const PAUSE: u8 = 4;
    pub(super) const RESUME: u8 = 5;
    pub(super) const WORKER: u8 = 6;
    pub(super) const RETIRE: u8 = 7;
    pub(super) const PUT_WITH_OPTIONS: u8 = 8;
    pub(super) const UPDATE_WITH_TYPE: u8 = 9;
}

/// One change, as it is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum JournalChange {
    /// A whole job: a new life, or one that compaction relocated from an old segment.
    Put {
        job: TrackedJob,
        headers: Headers,
        payload: Blob,
        result: Option<Blob>,
        error_details: Option<Bytes>,
        attempts: Vec<Attempt>,
    },
    /// What a transition changed of a job.
    Update(Update),
    /// The record is gone.
    Remove { queue: QueueName, seq: Seq },
    /// Claims were stopped, or resumed.
    Pause { queue: QueueName, paused: bool },
    /// A worker showed itself.
    Worker { worker: WorkerInfo, until: Timestamp },
    /// A worker went.
    Retire(WorkerId),
}

/// The parts of [`JournalChange::Update`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Update {
    pub(crate) queue: QueueName,
    pub(crate) seq: Seq,
    pub(crate) fields: LifecycleFields,
    /// How the payload is said to be encoded from now on, where that changed.
    pub(crate) content_type: Option<ContentType>,
    pub(crate) result: FieldChange<Blob>,
    pub(crate) error_details: FieldChange<Bytes>,
}

/// Bytes that are read only when they are asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Blob {
    pub(crate) content_type: ContentType,
    /// Their range within the changes of the record.
    pub(crate) range: Range<usize>,
}

/// Writes changes one after another. The queue is written when it is another one than before.
pub(crate) mod write {
    use super::{
        Attempt, ContentType, FieldChange, FieldWriter, PackedJob, Payload, QueueName, Range, Seq, Timestamp,
        WorkerId, WorkerInfo, has_options, kind, write_fixed, write_lifecycle, write_options, write_worker,
    };
    use bytes::Bytes;

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

    pub(crate) fn remove(out: &mut Vec<u8>, seq: Seq) {
        let mut out = FieldWriter(out);
        out.u8(kind::REMOVE);
        out.u64(seq.get());
    }

    pub(crate) fn pause(out: &mut Vec<u8>, queue: &QueueName, paused: bool) {
        let mut out = FieldWriter(out);
        out.u8(if paused { kind::PAUSE } else { kind::RESUME });
        out.name(queue);
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
}

impl JournalChange {
    /// Reads the changes of one record, in order.
    pub(crate) fn read_all(bytes: &[u8]) -> impl Iterator<Item = Result<Self, Malformed>> {
        Self::read_sharing(bytes, InternedNames::default())
    }

    /// The same, with names that were read before.
    pub(crate) fn read_sharing(
        bytes: &[u8],
        mut names: impl BorrowMut<InternedNames>,
    ) -> impl Iterator<Item = Result<Self, Malformed>> {
        let mut from = FieldReader::new(bytes);
        let mut queue = None;
        let mut has_failed = false;
        std::iter::from_fn(move || {
            if has_failed || from.is_at_end() {
                return None;
            }
            let change = read_next(&mut from, &mut queue, names.borrow_mut());
            has_failed = change.is_err();
            change.transpose()
        })
    }
}

/// The next change; `None` if the record ends after the name of a queue.
fn read_next(
    from: &mut FieldReader<'_>,
    current: &mut Option<QueueName>,
    names: &mut InternedNames,
) -> Result<Option<JournalChange>, Malformed> {
    while !from.is_at_end() {
        let kind = from.u8()?;
        if kind == kind::QUEUE {
            *current = Some(names.queues.read(from)?);
            continue;
        }
        let queue = || current.clone().ok_or(Malformed("a change names no queue"));
        return Ok(Some(match kind {
            kind::PUT => read_put(from, queue()?, false, names)?,
            kind::PUT_WITH_OPTIONS => read_put(from, queue()?, true, names)?,
            kind::UPDATE => read_update(from, queue()?, false, names)?,
            kind::UPDATE_WITH_TYPE => read_update(from, queue()?, true, names)?,
            kind::REMOVE => JournalChange::Remove { queue: queue()?, seq: Seq::new(from.u64()?) },
            kind::PAUSE | kind::RESUME => {
                JournalChange::Pause { queue: from.name()?, paused: kind == kind::PAUSE }
            }
            kind::WORKER => JournalChange::Worker { worker: read_worker(from)?, until: time(from)? },
            kind::RETIRE => JournalChange::Retire(from.name()?),
            _ => return Err(Malformed("a change is of a kind that this version does not know")),
        }));
    }
    Ok(None)
}

fn read_put(
    from: &mut FieldReader<'_>,
    queue: QueueName,
    has_options: bool,
    names: &mut InternedNames,
) -> Result<JournalChange, Malformed> {
    let seq = Seq::new(from.u64()?);
    let mut job = TrackedJob::new(read_fixed(from, queue, seq, names)?);
    let headers = if has_options { read_options(from, &mut job.meta, names)? } else { Headers::NONE };
    let attempts = LifecycleFields::read(from, names)?.onto(&mut job);
    let payload = blob(from, names)?;
    let result = into_option(kept(from, |from| blob(from, names))?);
    let error_details = into_option(kept(from, FieldReader::bytes)?);
    Ok(JournalChange::Put { job, headers, payload, result, error_details, attempts })
}

fn read_update(
    from: &mut FieldReader<'_>,
    queue: QueueName,
    has_type: bool,
    names: &mut InternedNames,
) -> Result<JournalChange, Malformed> {
    let seq = Seq::new(from.u64()?);
    let fields = LifecycleFields::read(from, names)?;
    let content_type = if has_type { Some(names.content_types.read(from)?) } else { None };
    let (result, error_details) = (kept(from, |from| blob(from, names))?, kept(from, FieldReader::bytes)?);
    Ok(JournalChange::Update(Update { queue, seq, fields, content_type, result, error_details }))
}

fn blob(from: &mut FieldReader<'_>, names: &mut InternedNames) -> Result<Blob, Malformed> {
    Ok(Blob { content_type: names.content_types.read(from)?, range: from.blob()? })
}

fn kept<'b, T>(
    from: &mut FieldReader<'b>,
    read: impl FnOnce(&mut FieldReader<'b>) -> Result<T, Malformed>,
) -> Result<FieldChange<T>, Malformed> {
    Ok(match from.u8()? {
        0 => FieldChange::Same,
        1 => FieldChange::Gone,
        2 => FieldChange::Now(read(from)?),
        _ => return Err(Malformed("a part is neither kept, gone nor written")),
    })
}

fn into_option<T>(kept: FieldChange<T>) -> Option<T> {
    match kept {
        FieldChange::Now(part) => Some(part),
        FieldChange::Same | FieldChange::Gone => None,
    }
}
