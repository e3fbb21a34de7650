//! Storing new jobs.

use super::{Engine, packed_job::PackedJob};
use queue_core::{
    Enqueued, JobBody, JobMeta, NewJob, QueueName, Seq, Timestamp,
    lifecycle::{Admission, TrackedJob, admit},
};

impl Engine {
    /// Stores jobs; sizes were checked before.
    pub fn enqueue(
        &mut self,
        queue: &QueueName,
        groups: Vec<Vec<NewJob>>,
        now: Timestamp,
    ) -> Vec<Vec<Enqueued>> {
        self.raise_mark(now);
        let group = |group: Vec<NewJob>| {
            // Room of its own: a job's is far too large for its answer, and costs more to cut down
            // than to let go.
            let mut answers = Vec::with_capacity(group.len());
            answers.extend(group.into_iter().map(|new| self.enqueue_one(queue, new, now)));
            answers
        };
        groups.into_iter().map(group).collect()
    }

    pub(super) fn enqueue_one(&mut self, queue: &QueueName, new: NewJob, now: Timestamp) -> Enqueued {
        let Self { queues, undo, notices, last_seq, .. } = self;
        let state = queues.open(queue, undo);
        let former = match state.by_id(&new.id) {
            None => None,
            Some(entry) => {
                let former = Box::new(entry.meta());
                if admit(Some(&former), &new, now) == Admission::Duplicate {
                    return taken_by(entry);
                }
                undo.changes(entry);
                // Waiters for the former life need a hint of its end: from here on the id leads to
                // another.
                notices.tell(queue, entry.farewell());
                state.remove(former.seq);
                Some(former)
            }
        };
        *last_seq += 1;
        let seq = Seq::new(*last_seq);
        let meta = match former {
            None => JobMeta::begin(queue.clone(), &new, seq, now),
            Some(former) => JobMeta::replacing(&former, &new, seq, now),
        };
        notices.changed(&meta);
        let payload_len = u32::try_from(new.payload.bytes.len()).unwrap_or(u32::MAX);
        let entry = state.pack(TrackedJob::new(meta), JobBody::begin(new), payload_len);
        undo.inserts(&entry);
        state.insert(entry, now);
        Enqueued::Queued { seq }
    }
}

fn taken_by(entry: &PackedJob) -> Enqueued {
    match &entry.course().result {
        Some(result) => Enqueued::Completed { seq: entry.seq, result: Some(result.clone()) },
        None => Enqueued::Duplicate { seq: entry.seq, state: entry.state },
    }
}
