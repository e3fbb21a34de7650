//! From a transaction of the engine to a record, and from a written record to the index.

use super::{
    FsState,
    differences::{charged, details_of, has_new_payload, result_of},
    job_index::{IndexEntry, ResultEntry, locate},
};
use crate::{
    format::{FieldChange, Head, RECORD_HEAD_BYTES, Salt, seal, start, whole_len, write},
    journal::{Journal, Location, Position},
};
use bytes::Bytes;
use queue_core::{QueueName, Seq, Timestamp, WorkerId, WorkerInfo};
use queue_memory::{Edit, Engine, PackedJob, Pauses};
use std::ops::Range;

/// A worker showed itself, or went.
#[derive(Clone, Debug)]
pub(crate) enum PresenceEdit {
    Shown(WorkerInfo, Timestamp),
    Gone(WorkerId),
}

/// Records that are ready to be appended, and the updates of the index that follow.
#[derive(Debug)]
pub(crate) struct PendingRecords {
    pub(crate) records: Vec<u8>,
    /// How many records.
    pub(crate) count: u64,
    /// The oldest segment that is needed once the records are durable.
    pub(crate) oldest: u64,
    pub(super) notes: Vec<IndexUpdate>,
    segment: u64,
    /// How many jobs of the oldest segment were examined for relocation.
    pub(super) relocated: usize,
}

/// What a record means for the index entry of one job.
#[derive(Debug)]
pub(super) enum IndexUpdate {
    Put {
        seq: Seq,
        entry: IndexEntry,
        is_terminal: bool,
    },
    Update {
        queue: QueueName,
        seq: Seq,
        other_bytes: u32,
        result: FieldChange<ResultEntry>,
        is_terminal: bool,
    },
    Relocate {
        seq: Seq,
        entry: IndexEntry,
    },
    Remove(Seq),
}

/// One record while it is written.
pub(super) struct Draft<'d> {
    pub(super) out: &'d mut Vec<u8>,
    pub(super) notes: &'d mut Vec<IndexUpdate>,
    /// Where its changes begin in the bytes; `base` is where they will be in the journal.
    changes_at: usize,
    base: Position,
    queue: Option<QueueName>,
}

impl PendingRecords {
    /// How many bytes.
    pub(crate) fn len(&self) -> usize {
        self.records.len()
    }

    /// Drops the relocated jobs, which follow the first `bytes` bytes.
    pub(crate) fn truncate(&mut self, bytes: usize, oldest: u64) {
        self.records.truncate(bytes);
        self.notes.retain(|note| !matches!(note, IndexUpdate::Relocate { .. }));
        (self.count, self.oldest, self.relocated) = (1, oldest, 0);
    }
}

/// Encodes the current transaction of an engine as the first record of a journal, and stores
/// nothing. The instruction guard counts what that takes.
#[doc(hidden)]
pub fn encode(engine: &Engine) -> Vec<u8> {
    let (mut records, _) = changes(engine, Position::start_of(1), &[]);
    let head = Head {
        commit: 1,
        synced: 0,
        oldest: 1,
        last_seq: engine.last_seq(),
        time: engine.mark(),
        salt: Salt::default(),
    };
    seal(&mut records, 0, &head);
    records
}

/// Bytes of a change to a job with a payload of usual size. The buffer grows for longer ones.
const USUAL_BYTES: usize = 256;

/// The bytes of a record with space for its head, and the updates of the index that follow.
fn changes(engine: &Engine, base: Position, presence: &[PresenceEdit]) -> (Vec<u8>, Vec<IndexUpdate>) {
    let edits = engine.edits().size_hint().1.unwrap_or(0);
    let mut records = Vec::with_capacity(RECORD_HEAD_BYTES + edits * USUAL_BYTES);
    let mut notes = Vec::with_capacity(edits);
    let at = start(&mut records);
    let mut draft = Draft::new(&mut records, &mut notes, base, at);
    engine.edits().for_each(|edit| draft.edit(&edit));
    engine.pause_edits().for_each(|(queue, pauses)| write::pauses(draft.out, queue, pauses));
    engine.limit_edits().for_each(|(queue, changes)| write::limits(draft.out, queue, &changes));
    // A queue without jobs is recorded as a queue that is not paused.
    engine.opened_idle().for_each(|queue| write::pauses(draft.out, queue, &Pauses::default()));
    for edit in presence {
        draft.presence(edit);
    }
    engine.series_edits().for_each(|(entry, until)| write::series(draft.out, &entry, until));
    (records, notes)
}

impl FsState {
    /// Encodes the changes of the current transaction as a record. `None` if there are none and its
    /// time need not be kept.
    pub(crate) fn record(&self, journal: &Journal, presence: &[PresenceEdit]) -> Option<PendingRecords> {
        let (mut records, notes) = changes(&self.engine, journal.tail(), presence);
        if records.len() == RECORD_HEAD_BYTES && !self.keeps_time {
            return None;
        }
        let head = journal.head(0, journal.oldest(), self.engine.last_seq(), self.engine.mark());
        seal(&mut records, 0, &head);
        let segment = journal.tail().segment;
        Some(PendingRecords { records, count: 1, oldest: journal.oldest(), notes, segment, relocated: 0 })
    }

    /// Commits the engine and updates the index, once the records are in the journal.
    pub(crate) fn recorded(&mut self, pending: PendingRecords) {
        self.engine.commit();
        self.index.usage.add_bytes(pending.segment, pending.records.len() as u64);
        if let Some(oldest) = self.index.usage.oldest() {
            self.index.usage.note_relocated(oldest, pending.relocated);
        }
        for note in pending.notes {
            self.note(note);
        }
        self.index.usage.forget_before(pending.oldest);
    }

    fn note(&mut self, note: IndexUpdate) {
        match note {
            IndexUpdate::Put { seq, mut entry, is_terminal } => {
                self.settle_in(seq, &mut entry, is_terminal);
                self.index.put(seq, entry);
            }
            IndexUpdate::Update { queue, seq, other_bytes, mut result, is_terminal } => {
                if let FieldChange::Now(result) = &mut result {
                    self.settle_result(&queue, seq, result);
                }
                self.changed(&queue, seq, other_bytes, result, is_terminal);
            }
            IndexUpdate::Relocate { seq, mut entry } => {
                // Relocation moves bytes on disk alone; what is in memory stays there.
                if let Some(before) = self.index.get(seq) {
                    entry.is_payload_resident = before.is_payload_resident;
                    if let (Some(result), Some(before)) = (&mut entry.result, &before.result) {
                        result.is_resident = before.is_resident;
                    }
                }
                self.index.put(seq, entry);
            }
            IndexUpdate::Remove(seq) => self.index.remove(seq),
        }
    }

    /// Decides which parts of a new job stay in memory.
    fn settle_in(&mut self, seq: Seq, entry: &mut IndexEntry, is_terminal: bool) {
        let queue = &entry.queue.clone();
        let len = entry.payload.len;
        entry.is_payload_resident = len == 0 || (!is_terminal && self.has_memory_for(len));
        if !entry.is_payload_resident {
            self.engine.set_body_bytes(queue, seq, Some(Bytes::new()), None);
        }
        if let Some(result) = &mut entry.result {
            self.settle_result(queue, seq, result);
        }
    }

    fn settle_result(&mut self, queue: &QueueName, seq: Seq, result: &mut ResultEntry) {
        result.is_resident = result.location.len == 0 || self.has_memory_for(result.location.len);
        if !result.is_resident {
            self.engine.set_body_bytes(queue, seq, None, Some(Bytes::new()));
        }
    }
}

impl<'d> Draft<'d> {
    /// A record whose head begins at byte `at`, where byte 0 will be at `base` in the journal.
    pub(super) fn new(
        out: &'d mut Vec<u8>,
        notes: &'d mut Vec<IndexUpdate>,
        base: Position,
        at: usize,
    ) -> Self {
        let changes_at = at + RECORD_HEAD_BYTES;
        let base = Position { offset: base.offset + changes_at as u64, ..base };
        Self { out, notes, changes_at, base, queue: None }
    }

    fn edit(&mut self, edit: &Edit<'_>) {
        self.select(edit.queue);
        let seq = edit.seq;
        let Some(after) = edit.after else {
            write::remove(self.out, seq);
            return self.notes.push(IndexUpdate::Remove(seq));
        };
        let is_terminal = after.state.is_terminal();
        let Some(before) = edit.before else {
            let entry = self.put(after);
            return self.notes.push(IndexUpdate::Put { seq, entry, is_terminal });
        };
        if has_new_payload(before, after) {
            let entry = self.put(after);
            return self.notes.push(IndexUpdate::Put { seq, entry, is_terminal });
        }
        if (before.priority, &before.traits.terms) != (after.priority, &after.traits.terms) {
            write::amend(self.out, after);
        }
        let (result, details) = (result_of(before, after), details_of(before, after));
        let kept = result;
        let content_type = Some(&after.traits.content_type).filter(|now| **now != before.traits.content_type);
        let written = write::update(self.out, after, charged(before, after), content_type, result, details);
        let result = match (kept, written) {
            (FieldChange::Now(_), Some(range)) => FieldChange::Now(self.result(&range, after.epoch)),
            (FieldChange::Gone, _) => FieldChange::Gone,
            _ => FieldChange::Same,
        };
        let queue = edit.queue.clone();
        let other_bytes = other_bytes(after);
        self.notes.push(IndexUpdate::Update { queue, seq, other_bytes, result, is_terminal });
    }

    /// Writes a whole job. The entry assumes that all its parts stay in memory.
    pub(super) fn put(&mut self, stored: &PackedJob) -> IndexEntry {
        let (payload, result) = write::put(self.out, stored);
        IndexEntry {
            queue: stored.queue().clone(),
            payload: self.locate(&payload),
            result: result.map(|range| Box::new(self.result(&range, stored.epoch))),
            other_bytes: other_bytes(stored),
            is_payload_resident: true,
        }
    }

    /// The changes that follow are about this queue.
    pub(super) fn select(&mut self, queue: &QueueName) {
        if self.queue.as_ref() != Some(queue) {
            write::queue(self.out, queue);
            self.queue = Some(queue.clone());
        }
    }

    pub(super) fn presence(&mut self, edit: &PresenceEdit) {
        match edit {
            PresenceEdit::Shown(worker, until) => write::worker(self.out, worker, *until),
            PresenceEdit::Gone(worker) => write::retire(self.out, worker),
        }
    }

    fn result(&self, range: &Range<usize>, epoch: u64) -> ResultEntry {
        ResultEntry { location: self.locate(range), epoch, is_resident: true }
    }

    fn locate(&self, range: &Range<usize>) -> Location {
        let within = range.start - self.changes_at..range.end - self.changes_at;
        locate(self.base, &self.out[self.changes_at..], &within)
    }
}

/// Bytes of a job written whole, without its payload and its result.
pub(super) fn other_bytes(stored: &PackedJob) -> u32 {
    u32::try_from(whole_len(stored)).expect("a record is shorter than 4 GiB")
}
