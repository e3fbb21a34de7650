//! Storing whole records of another store.

use super::Engine;
use queue_core::{ImportRequest, Imported, QueueName, Seq, Timestamp, WholeJob, lifecycle::TrackedJob};

impl Engine {
    /// Stores records as they are, each with a new number; the request was checked before.
    pub fn import(&mut self, request: ImportRequest, now: Timestamp) -> Vec<Imported> {
        self.raise(request.after.get(), now);
        let ImportRequest { queue, jobs, .. } = request;
        jobs.into_iter().map(|job| self.import_one(&queue, job, now)).collect()
    }

    fn import_one(&mut self, queue: &QueueName, job: WholeJob, now: Timestamp) -> Imported {
        if job.meta.is_purged(now) {
            return Imported::Purged;
        }
        let Self { queues, undo, notices, last_seq, .. } = self;
        let state = queues.open(queue, undo);
        if let Some(present) = state.by_id(&job.meta.id) {
            if !present.is_purged(now) {
                return Imported::Taken { seq: present.seq };
            }
            undo.changes(present);
            notices.tell(queue, present.farewell());
            let seq = present.seq;
            state.remove(seq);
        }
        *last_seq += 1;
        let WholeJob { mut meta, mut body, attempts } = job;
        // Lives have other numbers here. A signal to a job that comes later goes by the id.
        for signal in &mut body.end_signals {
            signal.life = state.ids.get(&signal.to).copied();
        }
        meta.seq = Seq::new(*last_seq);
        notices.changed(&meta);
        let payload_len = u32::try_from(body.payload.bytes.len()).unwrap_or(u32::MAX);
        let mut entry = state.pack(TrackedJob::new(meta), body, payload_len);
        for attempt in attempts {
            entry.charge(attempt);
        }
        undo.inserts(&entry);
        let seq = entry.seq;
        state.insert(entry, now);
        Imported::Stored { seq }
    }
}
