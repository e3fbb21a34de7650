//! The changes that a record consists of, as they are read. `write` has the way there.

use super::{
    FieldChange, InternedNames,
    amended::{AmendedFields, read_amended},
    job::{LifecycleFields, read_fixed, time},
    limits::read_limits,
    options::read_options,
    pauses::read_pauses,
    series::read_series,
    wire::{FieldReader, Malformed},
    worker::read_worker,
};
use bytes::Bytes;
use queue_core::{
    Attempt, ContentType, EndSignal, Headers, QueueName, Seq, SeriesEntry, Timestamp, WorkerId, WorkerInfo,
    lifecycle::TrackedJob,
};
use queue_memory::{LimitChanges, Pauses};
use std::{borrow::BorrowMut, ops::Range};

pub(super) mod kind {
    pub(in crate::format) const QUEUE: u8 = 0;
    pub(in crate::format) const PUT: u8 = 1;
    pub(in crate::format) const UPDATE: u8 = 2;
    pub(in crate::format) const REMOVE: u8 = 3;
    pub(in crate::format) const PAUSE: u8 = 4;
    pub(in crate::format) const RESUME: u8 = 5;
    pub(in crate::format) const WORKER: u8 = 6;
    pub(in crate::format) const RETIRE: u8 = 7;
    pub(in crate::format) const PUT_WITH_OPTIONS: u8 = 8;
    pub(in crate::format) const UPDATE_WITH_TYPE: u8 = 9;
    pub(in crate::format) const SERIES: u8 = 10;
    pub(in crate::format) const SERIES_GONE: u8 = 11;
    pub(in crate::format) const AMEND: u8 = 12;
    pub(in crate::format) const LIMITS: u8 = 13;
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
        end_signals: Vec<EndSignal>,
    },
    /// What a transition changed of a job.
    Update(Update),
    /// What an amendment changed of a job beside its payload: a new one rewrites the job.
    Amend(AmendedFields),
    /// The record was removed.
    Remove { queue: QueueName, seq: Seq },
    /// Claims of a queue or of kinds were stopped or resumed: all pauses of the queue since then.
    Pause { queue: QueueName, pauses: Pauses },
    /// Limits of a queue were set or taken away.
    Limits { queue: QueueName, changes: LimitChanges },
    /// A worker showed itself.
    Worker { worker: WorkerInfo, until: Timestamp },
    /// A worker went.
    Retire(WorkerId),
    /// An entry of a series was written, or removed if it is not kept.
    Series { entry: SeriesEntry, until: Option<Timestamp> },
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
            kind::AMEND => JournalChange::Amend(read_amended(from, queue()?)?),
            kind::REMOVE => JournalChange::Remove { queue: queue()?, seq: Seq::new(from.u64()?) },
            kind::PAUSE => JournalChange::Pause { queue: from.name()?, pauses: read_pauses(from)? },
            kind::RESUME => JournalChange::Pause { queue: from.name()?, pauses: Pauses::default() },
            kind::LIMITS => JournalChange::Limits { queue: from.name()?, changes: read_limits(from)? },
            kind::WORKER => JournalChange::Worker { worker: read_worker(from)?, until: time(from)? },
            kind::RETIRE => JournalChange::Retire(from.name()?),
            kind::SERIES => read_series(from, true)?,
            kind::SERIES_GONE => read_series(from, false)?,
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
    let (headers, end_signals) =
        if has_options { read_options(from, &mut job.meta)? } else { (Headers::NONE, Vec::new()) };
    let attempts = LifecycleFields::read(from, names)?.onto(&mut job);
    let payload = blob(from, names)?;
    let result = into_option(kept(from, |from| blob(from, names))?);
    let error_details = into_option(kept(from, FieldReader::bytes)?);
    Ok(JournalChange::Put { job, headers, payload, result, error_details, attempts, end_signals })
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
