use super::{Engine, stored_job::StoredJob};
use queue_core::{
    Enqueued, JobBody, JobMeta, NewJob, QueueName, Timestamp,
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
        let group =
            |group: Vec<NewJob>| group.into_iter().map(|new| self.enqueue_one(queue, new, now)).collect();
        groups.into_iter().map(group).collect()
    }

    pub(super) fn enqueue_one(&mut self, queue: &QueueName, new: NewJob, now: Timestamp) -> Enqueued {
        let present = self.queues.get(queue).and_then(|state| state.by_id(&new.id));
        let former = present.map(StoredJob::meta);
        match (admit(former.as_ref(), &new, now), present) {
            (Admission::Duplicate, Some(entry)) => return taken_by(entry),
            (Admission::Replace, Some(entry)) => {
                let seq = entry.seq;
                self.undo.changes(entry);
                if let Some(former) = self.state_mut(queue).remove(seq) {
                    self.notices.tell(queue, former.farewell());
                }
            }
            (_, _) => {}
        }
        let seq = self.next_seq();
        let meta = match &former {
            Some(former) => JobMeta::replacing(former, &new, seq, now),
            None => JobMeta::begin(queue.clone(), &new, seq, now),
        };
        self.notices.changed(&meta);
        let payload_len = u32::try_from(new.payload.bytes.len()).unwrap_or(u32::MAX);
        let body = JobBody { payload: new.payload, result: None, error_details: None };
        let state = self.queues.open(queue, &mut self.undo);
        let entry = state.pack(TrackedJob::new(meta), body, payload_len);
        self.undo.inserts(&entry);
        state.insert(entry, now);
        Enqueued::Queued { seq }
    }
}

fn taken_by(entry: &StoredJob) -> Enqueued {
    match &entry.course().result {
        Some(result) => Enqueued::Completed { seq: entry.seq, result: Some(result.clone()) },
        None => Enqueued::Duplicate { seq: entry.seq, state: entry.state },
    }
}
