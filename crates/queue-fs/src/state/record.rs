use super::{
    State,
    shelf::{Shelved, ShelvedResult, locate},
};
use crate::{
    format::{Head, Kept, RECORD_HEAD_BYTES, Salt, seal, start, whole_len, write},
    journal::{Journal, Location, Position},
};
use bytes::Bytes;
use queue_core::{Attempt, Payload, QueueName, Seq, State as JobState, Timestamp, WorkerId, WorkerInfo};
use queue_memory::{Edit, Engine, StoredJob};
use std::ops::Range;

/// A worker showed itself, or went.
#[derive(Clone, Debug)]
pub(crate) enum PresenceEdit {
    Shown(WorkerInfo, Timestamp),
    Gone(WorkerId),
}

/// Records that are ready to be appended, and what is then to be remembered.
#[derive(Debug)]
pub(crate) struct Pending {
    pub(crate) records: Vec<u8>,
    /// How many records.
    pub(crate) count: u64,
    /// The oldest segment that is needed once they are durable.
    pub(crate) oldest: u64,
    pub(super) notes: Vec<Note>,
    segment: u64,
    /// How many jobs of the oldest segment they carry on.
    pub(super) carried: usize,
}

/// What a record did to one job.
#[derive(Debug)]
pub(super) enum Note {
    Put { seq: Seq, shelved: Shelved, is_terminal: bool },
    Update { queue: QueueName, seq: Seq, other_bytes: u32, result: Kept<ShelvedResult>, is_terminal: bool },
    Carry { seq: Seq, shelved: Shelved },
    Remove(Seq),
}

/// One record while it is written.
pub(super) struct Draft<'d> {
    pub(super) out: &'d mut Vec<u8>,
    pub(super) notes: &'d mut Vec<Note>,
    /// Where its changes begin in the bytes, and will stand in the journal.
    changes_at: usize,
    base: Position,
    queue: Option<QueueName>,
}

impl Pending {
    /// How many bytes.
    pub(crate) fn len(&self) -> usize {
        self.records.len()
    }

    /// Goes without what was carried on behind the first so many bytes.
    pub(crate) fn truncate(&mut self, bytes: usize, oldest: u64) {
        self.records.truncate(bytes);
        self.notes.retain(|note| !matches!(note, Note::Carry { .. }));
        (self.count, self.oldest, self.carried) = (1, oldest, 0);
    }
}

/// The transaction at hand of an engine as the first record of a journal. For the guard against slow decay, which counts what
/// that takes; nothing is stored.
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

/// Of a change to a job with a payload of usual size; one that takes more has the record grow.
const USUAL_BYTES: usize = 256;

/// The bytes of a record with room for its head, and what is to be remembered of it.
fn changes(engine: &Engine, base: Position, presence: &[PresenceEdit]) -> (Vec<u8>, Vec<Note>) {
    let edits = engine.edits().size_hint().1.unwrap_or(0);
    let mut records = Vec::with_capacity(RECORD_HEAD_BYTES + edits * USUAL_BYTES);
    let mut notes = Vec::with_capacity(edits);
    let at = start(&mut records);
    let mut draft = Draft::new(&mut records, &mut notes, base, at);
    engine.edits().for_each(|edit| draft.edit(&edit));
    engine.pause_edits().for_each(|(queue, paused)| write::pause(draft.out, queue, paused));
    // A queue that is there without a job is told of as one that is not paused.
    engine.opened_idle().for_each(|queue| write::pause(draft.out, queue, false));
    for edit in presence {
        draft.presence(edit);
    }
    (records, notes)
}

impl State {
    /// What the transaction at hand changed, as a record; `None` if that is nothing, unless its time is to be kept.
    pub(crate) fn record(&self, journal: &Journal, presence: &[PresenceEdit]) -> Option<Pending> {
        let (mut records, notes) = changes(&self.engine, journal.tail(), presence);
        if records.len() == RECORD_HEAD_BYTES && !self.keeps_time {
            return None;
        }
        let head = journal.head(0, journal.oldest(), self.engine.last_seq(), self.engine.mark());
        seal(&mut records, 0, &head);
        let segment = journal.tail().segment;
        Some(Pending { records, count: 1, oldest: journal.oldest(), notes, segment, carried: 0 })
    }

    /// The records are in the journal.
    pub(crate) fn recorded(&mut self, pending: Pending) {
        self.engine.commit();
        self.shelf.usage.grows(pending.segment, pending.records.len() as u64);
        if let Some(oldest) = self.shelf.usage.oldest() {
            self.shelf.usage.carried(oldest, pending.carried);
        }
        for note in pending.notes {
            self.note(note);
        }
        self.shelf.usage.forget_before(pending.oldest);
    }

    fn note(&mut self, note: Note) {
        match note {
            Note::Put { seq, mut shelved, is_terminal } => {
                self.settle_in(seq, &mut shelved, is_terminal);
                self.shelf.put(seq, shelved);
            }
            Note::Update { queue, seq, other_bytes, mut result, is_terminal } => {
                if let Kept::Now(result) = &mut result {
                    self.settle_result(&queue, seq, result);
                }
                self.changed(&queue, seq, other_bytes, result, is_terminal);
            }
            Note::Carry { seq, mut shelved } => {
                if let Some(before) = self.shelf.get(seq) {
                    shelved.is_payload_resident = before.is_payload_resident;
                    if let (Some(result), Some(before)) = (&mut shelved.result, &before.result) {
                        result.is_resident = before.is_resident;
                    }
                }
                self.shelf.put(seq, shelved);
            }
            Note::Remove(seq) => self.shelf.remove(seq),
        }
    }

    /// Decides what of a new job stays in memory.
    fn settle_in(&mut self, seq: Seq, shelved: &mut Shelved, is_terminal: bool) {
        let queue = &shelved.queue.clone();
        let len = shelved.payload.len;
        shelved.is_payload_resident = len == 0 || (!is_terminal && self.has_memory_for(len));
        if !shelved.is_payload_resident {
            self.engine.set_body_bytes(queue, seq, Some(Bytes::new()), None);
        }
        if let Some(result) = &mut shelved.result {
            self.settle_result(queue, seq, result);
        }
    }

    fn settle_result(&mut self, queue: &QueueName, seq: Seq, result: &mut ShelvedResult) {
        result.is_resident = result.location.len == 0 || self.has_memory_for(result.location.len);
        if !result.is_resident {
            self.engine.set_body_bytes(queue, seq, None, Some(Bytes::new()));
        }
    }
}

impl<'d> Draft<'d> {
    /// A record whose head begins at `at` of the bytes, of which the first will stand at `base`.
    pub(super) fn new(out: &'d mut Vec<u8>, notes: &'d mut Vec<Note>, base: Position, at: usize) -> Self {
        let changes_at = at + RECORD_HEAD_BYTES;
        let base = Position { offset: base.offset + changes_at as u64, ..base };
        Self { out, notes, changes_at, base, queue: None }
    }

    fn edit(&mut self, edit: &Edit<'_>) {
        self.select(edit.queue);
        let seq = edit.seq;
        let Some(after) = edit.after else {
            write::remove(self.out, seq);
            return self.notes.push(Note::Remove(seq));
        };
        let is_terminal = after.state.is_terminal();
        let Some(before) = edit.before else {
            let shelved = self.put(after);
            return self.notes.push(Note::Put { seq, shelved, is_terminal });
        };
        let (result, details) = (result_of(before, after), details_of(before, after));
        let kept = result;
        let content_type = Some(&after.traits.content_type).filter(|now| **now != before.traits.content_type);
        let written = write::update(self.out, after, charged(before, after), content_type, result, details);
        let result = match (kept, written) {
            (Kept::Now(_), Some(range)) => Kept::Now(self.result(&range, after.epoch)),
            (Kept::Gone, _) => Kept::Gone,
            _ => Kept::Same,
        };
        let (queue, other_bytes) = (edit.queue.clone(), other_bytes(after));
        self.notes.push(Note::Update { queue, seq, other_bytes, result, is_terminal });
    }

    /// A whole job, and where its parts will stand, taken to be in memory.
    pub(super) fn put(&mut self, stored: &StoredJob) -> Shelved {
        let (payload, result) = write::put(self.out, stored);
        Shelved {
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

    fn result(&self, range: &Range<usize>, epoch: u64) -> ShelvedResult {
        ShelvedResult { location: self.locate(range), epoch, is_resident: true }
    }

    fn locate(&self, range: &Range<usize>) -> Location {
        let within = range.start - self.changes_at..range.end - self.changes_at;
        locate(self.base, &self.out[self.changes_at..], &within)
    }
}

/// What a job takes up where it is written whole, besides its payload and its result.
pub(super) fn other_bytes(stored: &StoredJob) -> u32 {
    u32::try_from(whole_len(stored)).expect("a record is shorter than 4 GiB")
}

/// There is a result if and only if the job is Completed, and each completion is of a claim of its own.
fn result_of<'r>(before: &StoredJob, after: &'r StoredJob) -> Kept<&'r Payload> {
    let completed = |stored: &StoredJob| (stored.state == JobState::Completed).then_some(stored.epoch);
    match &after.course().result {
        None if before.course().result.is_some() => Kept::Gone,
        Some(result) if completed(before) != completed(after) => Kept::Now(result),
        _ => Kept::Same,
    }
}

/// The attempts that were charged since, of which a record may have several.
fn charged<'a>(before: &StoredJob, after: &'a StoredJob) -> &'a [Attempt] {
    let seen = before.course().attempts().last().map_or(0, |attempt| attempt.epoch);
    let attempts = after.course().attempts();
    &attempts[attempts.partition_point(|attempt| attempt.epoch <= seen)..]
}

fn details_of<'d>(before: &StoredJob, after: &'d StoredJob) -> Kept<&'d Bytes> {
    match (&before.course().error_details, &after.course().error_details) {
        (before, after) if before == after => Kept::Same,
        (_, None) => Kept::Gone,
        (_, Some(details)) => Kept::Now(details),
    }
}
