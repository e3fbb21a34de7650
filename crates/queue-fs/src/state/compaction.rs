//! Compaction: live jobs of the oldest segment are relocated to the end of the journal.

use super::{
    FsState,
    record::{Draft, IndexUpdate, PendingRecords},
};
use crate::{
    error::FsFault,
    format::{RECORD_HEAD_BYTES, seal, start, write},
    journal::{Journal, SegmentFiles},
};
use queue_core::Seq;
use queue_memory::Pauses;

/// A commit relocates at least this many bytes, as long as there are jobs to relocate.
const RELOCATED_BYTES_MIN: usize = 64 << 10;
/// How many jobs one commit examines for relocation.
const LOOKS_MAX: usize = 10_000;

impl FsState {
    /// Whether the oldest segment should be compacted: the journal is longer than twice the bytes
    /// of its live jobs and a segment. While the jobs of that segment are relocated, other calls
    /// write about as much again, so the journal stays below about three times the bytes of the
    /// jobs. The limit is lower while the disk is full.
    ///
    /// Everything that compaction relocates must be counted as live, or compaction would never end.
    pub(crate) fn needs_compaction(&self, segment_bytes: u64, is_tight: bool) -> bool {
        let usage = &self.index.usage;
        let factor = if is_tight { 1 } else { 2 };
        let exceeds = |needed: u64| usage.journal_bytes > factor * (needed + segment_bytes);
        // The rest is counted last, since counting it visits every queue.
        usage.oldest().is_some() && exceeds(usage.live_bytes) && exceeds(usage.live_bytes + self.rest_bytes())
    }

    /// The bytes of what belongs to no job: pauses, limits, queues without jobs, workers, series.
    fn rest_bytes(&self) -> u64 {
        let mut rest = Vec::new();
        self.write_all_but_series(&mut rest);
        (rest.len() + self.engine.series_bytes()) as u64
    }

    /// Appends a record that relocates jobs of the oldest segment to the pending records. The
    /// record is about as long as the others, so that compaction keeps ahead of them. The segment
    /// is free once none of its jobs is left.
    ///
    /// An error leaves the pending records as they were.
    pub(crate) fn compact(&self, journal: &mut Journal, pending: &mut PendingRecords) -> Result<(), FsFault> {
        let (bytes, notes) = (pending.records.len(), pending.notes.len());
        self.add_relocated(journal, pending).inspect_err(|_| {
            pending.records.truncate(bytes);
            pending.notes.truncate(notes);
        })
    }

    fn add_relocated(&self, journal: &mut Journal, pending: &mut PendingRecords) -> Result<(), FsFault> {
        let Some(oldest) = self.index.usage.oldest() else { return Ok(()) };
        // Compaction writes about as much as the write beside it, which bounds what it adds to any
        // call (ADR 0026).
        let enough = pending.records.len() + pending.records.len().max(RELOCATED_BYTES_MIN);
        let at = start(&mut pending.records);
        let mut draft = Draft::new(&mut pending.records, &mut pending.notes, journal.tail(), at);
        let jobs = self.index.usage.jobs_to_relocate(oldest);
        let mut looked_at = 0;
        for seq in jobs.iter().take(LOOKS_MAX) {
            if draft.out.len() >= enough {
                break;
            }
            self.relocate(journal, &mut draft, oldest, *seq)?;
            looked_at += 1;
        }
        pending.relocated = looked_at;
        // With the last job relocated, this record says that the segment is not needed any more.
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

    fn relocate(
        &self,
        journal: &mut Journal,
        draft: &mut Draft<'_>,
        oldest: u64,
        seq: Seq,
    ) -> Result<(), FsFault> {
        // The list names every job that was written to the segment; some have left it since.
        let Some(entry) = self.index.get(seq).filter(|entry| entry.segment() == oldest) else {
            return Ok(());
        };
        let Some(stored) = self.engine.stored(&entry.queue, seq) else { return Ok(()) };
        draft.select(&entry.queue);
        let mut whole = stored.clone();
        self.fill_whole(journal.files(), &mut whole)?;
        let entry = draft.put(&whole);
        draft.notes.push(IndexUpdate::Relocate { seq, entry });
        Ok(())
    }

    /// Writes pauses, limits, queues without jobs, workers, and entries of series.
    pub(crate) fn write_the_rest(&self, out: &mut Vec<u8>) {
        self.write_all_but_series(out);
        let now = self.engine.mark();
        let kept = self.engine.series().filter(|(_, until)| *until > now);
        kept.for_each(|(entry, until)| write::series(out, &entry, Some(until)));
    }

    fn write_all_but_series(&self, out: &mut Vec<u8>) {
        self.engine.paused_queues().for_each(|(queue, pauses)| write::pauses(out, queue, pauses));
        for queue in self.engine.limited_queues() {
            let limits = self.engine.limits(queue).into_iter().map(|(scope, limit)| (scope, Some(limit)));
            write::limits(out, queue, &limits.collect());
        }
        self.engine.idle_queues().for_each(|queue| write::pauses(out, queue, &Pauses::default()));
        let now = self.engine.mark();
        let shown = self.engine.presence().filter(|(_, until)| *until > now);
        shown.for_each(|(worker, until)| write::worker(out, worker, until));
    }

    /// All lives, in no order.
    pub(crate) fn lives(&self) -> Vec<Seq> {
        self.index.iter().map(|(seq, _)| seq).collect()
    }

    /// Writes a whole job, with the queue that it is in.
    pub(crate) fn write_whole(
        &self,
        files: &mut SegmentFiles,
        out: &mut Vec<u8>,
        seq: Seq,
    ) -> Result<(), FsFault> {
        let Some(entry) = self.index.get(seq) else { return Ok(()) };
        let Some(stored) = self.engine.stored(&entry.queue, seq) else { return Ok(()) };
        let mut whole = stored.clone();
        self.fill_whole(files, &mut whole)?;
        write::queue(out, &entry.queue);
        write::put(out, &whole);
        Ok(())
    }
}
