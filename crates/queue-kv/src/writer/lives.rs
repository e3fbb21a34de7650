//! How beginning, changing and removing a life changes keys. Every write of a record also writes
//! its index entries and counters, so that none exists without the others (I20).

use super::transaction::Transaction;
use crate::{
    failure::{KvFailure, KvResult},
    keys::{self, Family},
    values::{self, QueueMarks},
    view::{GATED_SLOT, SCHEDULED_SLOT},
};
use queue_core::{
    AnswerRoom, Attempt, EndSignal, Enqueued, JobMeta, NewJob, Payload, QueueName, Seq, Signalling, State,
    lifecycle::{Admission, BodyPatch, TrackedJob, admit},
};
use queue_store::stored::{self, StoredJob};

/// The keys of a life beside its record. The record says whether there are end signals, so only a
/// job that has some pays for their key.
const PARTS: [Family; 5] =
    [Family::Payload, Family::Result, Family::Details, Family::Headers, Family::Attempts];

impl Transaction<'_> {
    /// Enqueues one job, if the rule of ids admits it, and if the jobs that it raises take that. A
    /// result for which the answer has no room is left out. `holder` is the job whose own step this
    /// one follows, if that has not ended.
    pub(super) fn enqueue(
        &mut self,
        queue: &QueueName,
        new: &NewJob,
        holder: Option<Seq>,
        room: &mut AnswerRoom,
    ) -> KvResult<Enqueued> {
        let present = self.view().find(queue, &new.id)?.map(|stored| stored.job.meta);
        let admission = admit(present.as_ref(), new, self.now());
        if let (Admission::Duplicate, Some(present)) = (admission, &present) {
            return self.duplicate(present, room);
        }
        let signals = match &new.end_signals[..] {
            [] => None,
            signals => match self.raise(queue, signals, holder)? {
                Some(signals) => Some(signals),
                None => return Ok(Enqueued::Orphaned),
            },
        };
        if let (Admission::Replace, Some(former)) = (admission, &present) {
            self.remove(former)?;
        }
        self.remember_queue(queue)?;
        let seq = self.next_seq()?;
        let now = self.now();
        let mut meta = match &present {
            Some(former) => JobMeta::replacing(former, new, seq, now),
            None => JobMeta::begin(queue.clone(), new, seq, now),
        };
        if let Some(signals) = signals {
            meta.signalling = Signalling::owing(signals.len());
            self.put_end_signals(queue, seq, &signals)?;
        }
        self.put(&keys::id(queue, &new.id), &values::number(seq.get()))?;
        self.put(&keys::life(Family::Payload, queue, seq), &stored::to_bytes(&new.payload))?;
        if !new.headers.is_empty() {
            self.put(&keys::life(Family::Headers, queue, seq), &stored::to_bytes(&new.headers))?;
        }
        let job = TrackedJob::new(meta);
        self.write(None, &StoredJob { job, payload_bytes: new.payload.bytes.len() as u64 })?;
        Ok(Enqueued::Queued { seq })
    }

    fn duplicate(&self, present: &JobMeta, room: &mut AnswerRoom) -> KvResult<Enqueued> {
        let seq = present.seq;
        if present.state != State::Completed {
            return Ok(Enqueued::Duplicate { seq, state: present.state });
        }
        if room.is_full() {
            return Ok(Enqueued::Completed { seq, result: None });
        }
        let result: Option<Payload> = self.view().part(Family::Result, &present.queue, seq)?;
        let result = result.ok_or_else(|| KvFailure::corrupt("a completed job has no result"))?;
        let result = Some(result).filter(|result| room.takes(result.bytes.len()));
        Ok(Enqueued::Completed { seq, result })
    }

    /// Writes a record, new or changed, and moves its index entries.
    pub(super) fn write(&mut self, before: Option<&JobMeta>, stored: &StoredJob) -> KvResult<()> {
        if let Some(before) = before {
            self.leave(before)?;
        }
        let meta = &stored.job.meta;
        self.enter(stored)?;
        self.put_record(stored)?;
        self.notices.changed(meta);
        Ok(())
    }

    /// Writes a record whose index entries stay as they are.
    pub(super) fn put_record(&mut self, stored: &StoredJob) -> KvResult<()> {
        let JobMeta { queue, seq, .. } = &stored.job.meta;
        self.put(&keys::life(Family::Job, queue, *seq), &stored::to_bytes(stored))
    }

    /// Writes what a job sends at its end, if that is anything.
    pub(super) fn put_end_signals(
        &mut self,
        queue: &QueueName,
        seq: Seq,
        signals: &Vec<EndSignal>,
    ) -> KvResult<()> {
        if signals.is_empty() {
            return Ok(());
        }
        self.put(&keys::life(Family::EndSignals, queue, seq), &stored::to_bytes(signals))
    }

    /// Writes a transition's changes to the large parts.
    pub(super) fn write_body(&mut self, meta: &JobMeta, patch: BodyPatch) -> KvResult<()> {
        let key = |family| keys::life(family, &meta.queue, meta.seq);
        match patch {
            BodyPatch::Keep => {}
            BodyPatch::Result(result) => self.put(&key(Family::Result), &stored::to_bytes(&result))?,
            BodyPatch::ErrorDetails(Some(details)) => self.put(&key(Family::Details), &details)?,
            BodyPatch::ErrorDetails(None) => self.delete(&key(Family::Details))?,
            BodyPatch::Payload(payload) => self.put(&key(Family::Payload), &stored::to_bytes(&payload))?,
            BodyPatch::Clear { content_type } => {
                self.delete(&key(Family::Result))?;
                self.delete(&key(Family::Details))?;
                if let Some(content_type) = content_type {
                    // The content type is stored in one value with the bytes, so both are written
                    // again.
                    let payload: Option<Payload> =
                        self.view().part(Family::Payload, &meta.queue, meta.seq)?;
                    let payload = payload.ok_or_else(|| KvFailure::corrupt("a record has no payload"))?;
                    let payload = Payload { content_type, ..payload };
                    self.put(&key(Family::Payload), &stored::to_bytes(&payload))?;
                }
            }
        }
        Ok(())
    }

    /// Adds an attempt to a life.
    pub(super) fn charge(&mut self, meta: &JobMeta, attempt: Attempt) -> KvResult<()> {
        let mut attempts = self.view().attempts(&meta.queue, meta.seq)?;
        Attempt::push(&mut attempts, attempt);
        self.put(&keys::life(Family::Attempts, &meta.queue, meta.seq), &stored::to_bytes(&attempts))
    }

    /// Removes a life with everything that belongs to it, given its stored record.
    pub(super) fn remove(&mut self, stored: &JobMeta) -> KvResult<()> {
        self.leave(stored)?;
        self.delete(&keys::id(&stored.queue, &stored.id))?;
        for family in [Family::Job].into_iter().chain(PARTS) {
            self.delete(&keys::life(family, &stored.queue, stored.seq))?;
        }
        if stored.signalling != Signalling::None {
            self.delete(&keys::life(Family::EndSignals, &stored.queue, stored.seq))?;
        }
        self.notices.removed(stored);
        Ok(())
    }

    /// Adds the index entries of a record, and counts it. A job whose time is to come stays in the
    /// scheduled index until a claim finds that it has come, and a job behind a closed gate in the
    /// gated one until a claim finds that it has timed out.
    fn enter(&mut self, stored: &StoredJob) -> KvResult<()> {
        let meta = &stored.job.meta;
        let is_gated = meta.is_gated(self.now());
        if is_gated || meta.is_scheduled(self.now()) {
            self.put(
                &keys::waiting(meta),
                &values::scheduled(stored.payload_bytes, meta.priority, meta.partition.as_ref()),
            )?;
            self.count(&meta.queue, if is_gated { GATED_SLOT } else { SCHEDULED_SLOT }, 1);
            if is_gated {
                self.mark(&meta.queue, |marks| QueueMarks { gated: true, ..marks })?;
            }
        } else if meta.state.is_waiting() {
            let payload_bytes = values::number(stored.payload_bytes);
            let place = keys::place_in_order(meta);
            self.insert_due(&meta.queue, meta.partition.as_ref(), &place, &payload_bytes)?;
        }
        for entry in keys::times(meta) {
            self.put(&entry, &[])?;
        }
        self.count(&meta.queue, meta.state.as_code(), 1);
        self.partitions.count(&meta.queue, meta.partition.as_ref(), meta.state, 1);
        Ok(())
    }

    /// Removes the index entries, given the record as it is stored.
    fn leave(&mut self, meta: &JobMeta) -> KvResult<()> {
        if meta.state.is_waiting() {
            let waiting = keys::waiting(meta);
            // The record does not say whether a claim has moved the entry since the job's time
            // came.
            if self.view().get(&waiting)?.is_some() {
                self.delete(&waiting)?;
                let is_gated = keys::is_of(Family::Gated, &waiting);
                self.count(&meta.queue, if is_gated { GATED_SLOT } else { SCHEDULED_SLOT }, -1);
            } else {
                let place = keys::place_in_order(meta);
                self.delete_due(&meta.queue, meta.partition.as_ref(), &place)?;
                if self.marks(&meta.queue)?.kinds {
                    self.delete(&keys::aside_of_ready(&meta.queue, &meta.kind, &place))?;
                }
            }
        }
        for entry in keys::times(meta) {
            self.delete(&entry)?;
        }
        self.count(&meta.queue, meta.state.as_code(), -1);
        self.partitions.count(&meta.queue, meta.partition.as_ref(), meta.state, -1);
        Ok(())
    }
}
