//! Applying records of the journal to the engine and the index.

use super::{
    FsState,
    job_index::{IndexEntry, ResultEntry, locate},
    record::other_bytes,
};
use crate::{
    format::{AmendedFields, Blob, FieldChange, Head, JournalChange, Malformed, RECORD_HEAD_BYTES, Update},
    journal::{Location, Position, RecordSink},
};
use bytes::Bytes;
use queue_core::{Attempt, EndSignal, Headers, JobBody, Payload, QueueName, Seq, lifecycle::TrackedJob};
use queue_store::News;

impl RecordSink for FsState {
    fn begin_at(&mut self, segment: u64) {
        *self = Self { begun_at: segment, ..Self::new(self.budget_bytes) };
    }

    fn begin_bulk(&mut self) {
        self.is_loading = true;
        self.engine.begin_loading();
    }

    fn end_bulk(&mut self) -> Result<(), Malformed> {
        self.is_loading = false;
        if self.engine.end_loading() { Ok(()) } else { Err(Malformed("an id has two lives")) }
    }

    /// Applies a record. A record that contradicts the state is damage too.
    fn replay(&mut self, head: &Head, at: Position, changes: &[u8]) -> Result<(), Malformed> {
        self.engine.raise(head.last_seq, head.time);
        self.index.usage.add_bytes(at.segment, (RECORD_HEAD_BYTES + changes.len()) as u64);
        let may_dangle = head.oldest < self.begun_at;
        let mut names = std::mem::take(&mut self.names);
        let mut replay = RecordReplay { state: self, at, changes, may_dangle };
        let replayed =
            JournalChange::read_sharing(changes, &mut names).try_for_each(|change| replay.one(change?));
        self.names = names;
        replayed?;
        self.index.usage.forget_before(head.oldest);
        Ok(())
    }
}

/// The other parts of a whole job: headers, payload, result, details of its last error, and end
/// signals.
type Parts<'p> = (Headers, &'p Blob, Option<&'p Blob>, Option<Bytes>, Vec<EndSignal>);

/// The replay of one record.
struct RecordReplay<'t> {
    state: &'t mut FsState,
    at: Position,
    changes: &'t [u8],
    /// The record may name jobs of segments that are removed.
    may_dangle: bool,
}

impl RecordReplay<'_> {
    fn one(&mut self, change: JournalChange) -> Result<(), Malformed> {
        match change {
            JournalChange::Put { job, headers, payload, result, error_details, attempts, end_signals } => {
                if self.make_way_for(&job)? {
                    self.tell(&job.meta.queue, news_of(job.meta.state));
                }
                self.put(job, (headers, &payload, result.as_ref(), error_details, end_signals), attempts);
            }
            JournalChange::Update(update) => {
                self.tell(&update.queue, news_of(update.fields.state));
                return self.update(update);
            }
            JournalChange::Amend(amended) => return self.amend(&amended),
            JournalChange::Remove { queue, seq } => {
                self.tell(&queue, News::Changed);
                return self.remove(&queue, seq);
            }
            JournalChange::Pause { queue, pauses } => {
                self.state.engine.load_pauses(&queue, pauses);
                // A worker with prefetched jobs must learn of a pause too.
                self.tell(&queue, News::Wakes);
            }
            JournalChange::Limits { queue, changes } => {
                self.state.engine.load_limits(&queue, changes);
                self.tell(&queue, News::Wakes);
            }
            JournalChange::Worker { worker, until } => self.state.engine.load_worker(worker, until),
            JournalChange::Retire(worker) => self.state.engine.unload_worker(&worker),
            JournalChange::Series { entry, until } => self.state.engine.load_series(entry, until),
        }
        Ok(())
    }

    fn put(&mut self, job: TrackedJob, parts: Parts<'_>, attempts: Vec<Attempt>) {
        let (headers, payload, result, error_details, end_signals) = parts;
        let (seq, epoch) = (job.meta.seq, job.meta.epoch);
        let len = u32::try_from(payload.range.len()).expect("a record is shorter than 4 GiB");
        let may_stay = !job.meta.state.is_terminal();
        let (payload, location, is_payload_resident) = self.blob(payload, may_stay);
        let (result, entry) = result.map(|result| self.result(result, epoch)).unzip();
        let body = JobBody { payload, headers, result, error_details, end_signals };
        let stored = self.state.engine.load(job, body, attempts, len);
        let entry = IndexEntry {
            queue: stored.queue().clone(),
            payload: location,
            result: entry.map(Box::new),
            other_bytes: other_bytes(stored),
            is_payload_resident,
        };
        self.state.index.put(seq, entry);
    }

    /// Removes another life of the same id, since an id has one life at a time. Bulk loading checks
    /// that at its end. Returns false for a life that is present already: compaction relocated it
    /// from an old segment.
    fn make_way_for(&mut self, job: &TrackedJob) -> Result<bool, Malformed> {
        let queue = &job.meta.queue;
        let id = &job.meta.id;
        let seq = job.meta.seq;
        let present = self.state.engine.life_of(queue, id);
        if let Some(other) = present.filter(|other| *other != seq) {
            self.dangles()?;
            self.remove(queue, other)?;
        }
        Ok(present != Some(seq))
    }

    /// Notes news for subscribers.
    fn tell(&mut self, queue: &QueueName, news: News) {
        if !self.state.is_loading {
            self.state.foreign_news.note(queue, news);
        }
    }

    /// The end of a lease may let a job of its partition be claimed.
    fn tell_if_opened(&mut self, queue: &QueueName) {
        if self.state.engine.take_opened(queue) {
            self.tell(queue, News::Wakes);
        }
    }

    fn update(&mut self, update: Update) -> Result<(), Malformed> {
        let Update { queue, seq, fields, content_type, result, error_details } = update;
        let (epoch, is_terminal) = (fields.epoch, fields.state.is_terminal());
        let (result, entry) = match result {
            FieldChange::Same => (FieldChange::Same, FieldChange::Same),
            FieldChange::Gone => (FieldChange::Gone, FieldChange::Gone),
            FieldChange::Now(blob) => {
                let (result, entry) = self.result(&blob, epoch);
                (FieldChange::Now(result), FieldChange::Now(entry))
            }
        };
        let changed = self.state.engine.reload(&queue, seq, |stored| {
            let mut job = stored.tracked();
            let attempts = fields.onto(&mut job);
            stored.track(&job);
            for attempt in attempts {
                stored.charge(attempt);
            }
            stored.set_content_type(content_type);
            result.tell(|result| stored.set_result(result));
            error_details.tell(|details| stored.set_error_details(details));
            other_bytes(stored)
        });
        let Some(other_bytes) = changed else { return self.dangles() };
        self.tell_if_opened(&queue);
        self.state.changed(&queue, seq, other_bytes, entry, is_terminal);
        Ok(())
    }

    fn amend(&mut self, amended: &AmendedFields) -> Result<(), Malformed> {
        let AmendedFields { queue, seq, priority, terms } = amended;
        let present = self.state.engine.reload(queue, *seq, |stored| {
            let mut job = stored.tracked();
            (job.meta.priority, job.meta.terms) = (*priority, terms.clone());
            stored.track(&job);
        });
        present.map_or_else(|| self.dangles(), Ok)
    }

    fn remove(&mut self, queue: &QueueName, seq: Seq) -> Result<(), Malformed> {
        self.state.index.remove(seq);
        let removed = self.state.engine.unload(queue, seq);
        self.tell_if_opened(queue);
        removed.map_or_else(|| self.dangles(), |_| Ok(()))
    }

    fn dangles(&self) -> Result<(), Malformed> {
        if self.may_dangle { Ok(()) } else { Err(Malformed("a change is about a job that is not there")) }
    }

    /// Returns a payload, its place on the disk, and whether its bytes are in memory. The bytes are
    /// copied, so that a few of them do not keep a whole segment in memory.
    fn blob(&self, blob: &Blob, may_stay: bool) -> (Payload, Location, bool) {
        let location = locate(self.at, self.changes, &blob.range);
        let is_resident = location.len == 0 || (may_stay && self.state.has_memory_for(location.len));
        let bytes = if is_resident { &self.changes[blob.range.clone()] } else { &[] };
        (Payload::new(Bytes::copy_from_slice(bytes), blob.content_type.clone()), location, is_resident)
    }

    /// The same of a result.
    fn result(&self, blob: &Blob, epoch: u64) -> (Payload, ResultEntry) {
        let (result, location, is_resident) = self.blob(blob, true);
        (result, ResultEntry { location, epoch, is_resident })
    }
}

fn news_of(state: queue_core::State) -> News {
    if state.is_waiting() { News::Wakes } else { News::Changed }
}

impl FsState {
    /// Updates the index after a change of a job. The payload of a terminal job is rarely read
    /// again, so it leaves memory.
    pub(super) fn changed(
        &mut self,
        queue: &QueueName,
        seq: Seq,
        other_bytes: u32,
        result: FieldChange<ResultEntry>,
        is_terminal: bool,
    ) {
        let mut rests = false;
        self.index.change(seq, |entry| {
            entry.other_bytes = other_bytes;
            result.tell(|result| entry.result = result.map(Box::new));
            rests = is_terminal && entry.is_payload_resident && entry.payload.len > 0;
            entry.is_payload_resident &= !rests;
        });
        if rests {
            self.engine.set_body_bytes(queue, seq, Some(Bytes::new()), None);
        }
    }
}
