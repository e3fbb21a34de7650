use super::{
    State,
    record::{Draft, Note, Pending},
};
use crate::{
    error::Fault,
    format::{RECORD_HEAD_BYTES, seal, start, write},
    journal::{Files, Journal},
};
use queue_core::Seq;

/// A commit carries on at least this much, while there is something to carry on.
const CARRY_BYTES_MIN: usize = 64 << 10;
/// Jobs that one commit looks at.
const LOOKS_MAX: usize = 10_000;

impl State {
    /// Whether the journal is so much longer than what is in it that its oldest segment should go: it is more than twice the
    /// bytes of the jobs, and of a segment. While the jobs of that segment are carried on, about as much again is written of
    /// others, so it has at most about three times the bytes of the jobs. Less while the disk is full.
    ///
    /// Whatever is carried on must be counted, or carrying it would never come to an end.
    pub(crate) fn is_wasteful(&self, segment_bytes: u64, is_tight: bool) -> bool {
        let usage = &self.shelf.usage;
        let factor = if is_tight { 1 } else { 2 };
        let exceeds = |needed: u64| usage.journal_bytes > factor * (needed + segment_bytes);
        // The rest is counted last, since it takes a look at every queue.
        usage.oldest().is_some() && exceeds(usage.live_bytes) && exceeds(usage.live_bytes + self.rest_bytes())
    }

    /// What belongs to no job takes up so much.
    fn rest_bytes(&self) -> u64 {
        let mut rest = Vec::new();
        self.write_the_rest(&mut rest);
        rest.len() as u64
    }

    /// Adds a record to those that are pending, in which jobs of the oldest segment are carried on: about as much as the
    /// others have, so that this keeps ahead of them. When none is left, the segment is not needed any more.
    ///
    /// After an error they are as before.
    pub(crate) fn carry(&self, journal: &mut Journal, pending: &mut Pending) -> Result<(), Fault> {
        let (bytes, notes) = (pending.records.len(), pending.notes.len());
        self.add_carried(journal, pending).inspect_err(|_| {
            pending.records.truncate(bytes);
            pending.notes.truncate(notes);
        })
    }

    fn add_carried(&self, journal: &mut Journal, pending: &mut Pending) -> Result<(), Fault> {
        let Some(oldest) = self.shelf.usage.oldest() else { return Ok(()) };
        let enough = pending.records.len() + pending.records.len().max(CARRY_BYTES_MIN);
        let at = start(&mut pending.records);
        let mut draft = Draft::new(&mut pending.records, &mut pending.notes, journal.tail(), at);
        let jobs = self.shelf.usage.to_carry(oldest);
        let mut looked_at = 0;
        for seq in jobs.iter().take(LOOKS_MAX) {
            if draft.out.len() >= enough {
                break;
            }
            self.carry_one(journal, &mut draft, oldest, *seq)?;
            looked_at += 1;
        }
        pending.carried = looked_at;
        if looked_at == jobs.len() {
            self.write_the_rest(draft.out);
            pending.oldest = oldest + 1;
        } else if pending.records.len() == at + RECORD_HEAD_BYTES {
            pending.records.truncate(at);
            return Ok(());
        }
        let head = journal.head(pending.count, pending.oldest, self.engine.last_seq(), self.engine.mark());
        seal(&mut pending.records, at, &head);
        pending.count += 1;
        Ok(())
    }

    fn carry_one(
        &self,
        journal: &mut Journal,
        draft: &mut Draft<'_>,
        oldest: u64,
        seq: Seq,
    ) -> Result<(), Fault> {
        let Some(shelved) = self.shelf.get(seq).filter(|shelved| shelved.segment() == oldest) else {
            return Ok(());
        };
        let Some(stored) = self.engine.stored(&shelved.queue, seq) else { return Ok(()) };
        draft.select(&shelved.queue);
        let mut whole = stored.clone();
        self.fill_whole(journal.files(), &mut whole)?;
        let shelved = draft.put(&whole);
        draft.notes.push(Note::Carry { seq, shelved });
        Ok(())
    }

    /// Writes what belongs to no job.
    pub(crate) fn write_the_rest(&self, out: &mut Vec<u8>) {
        self.engine.paused_queues().for_each(|queue| write::pause(out, queue, true));
        self.engine.idle_queues().for_each(|queue| write::pause(out, queue, false));
        let now = self.engine.mark();
        let shown = self.engine.presence().filter(|(_, until)| *until > now);
        shown.for_each(|(worker, until)| write::worker(out, worker, until));
    }

    /// The lives that there are, in no order.
    pub(crate) fn lives(&self) -> Vec<Seq> {
        self.shelf.iter().map(|(seq, _)| seq).collect()
    }

    /// Writes a whole job, with the queue that it is in.
    pub(crate) fn write_whole(&self, files: &mut Files, out: &mut Vec<u8>, seq: Seq) -> Result<(), Fault> {
        let Some(shelved) = self.shelf.get(seq) else { return Ok(()) };
        let Some(stored) = self.engine.stored(&shelved.queue, seq) else { return Ok(()) };
        let mut whole = stored.clone();
        self.fill_whole(files, &mut whole)?;
        write::queue(out, &shelved.queue);
        write::put(out, &whole);
        Ok(())
    }
}
