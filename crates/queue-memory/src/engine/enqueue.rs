use super::{Engine, stored_job::StoredJob};
use queue_core::{
    Enqueued, JobMeta, NewJob, QueueName, Timestamp,
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
        match (admit(present.map(|entry| &entry.job.meta), &new, now), present) {
            (Admission::Duplicate, Some(entry)) => return taken_by(entry),
            (Admission::Replace, Some(entry)) => {
                let seq = entry.job.meta.seq;
                self.undo.changes(entry);
                if let Some(former) = self.state_mut(queue).remove(seq) {
                    self.notices.removed(&former.job.meta);
                }
            }
            (_, _) => {}
        }
        let seq = self.next_seq();
        let meta = JobMeta::begin(queue.clone(), &new, seq, now);
        self.notices.changed(&meta);
        let entry = StoredJob::new(TrackedJob::new(meta), new.payload);
        self.undo.inserts(&entry);
        self.state_mut(queue).insert(entry, now);
        Enqueued::Queued { seq }
    }
}

fn taken_by(entry: &StoredJob) -> Enqueued {
    let meta = &entry.job.meta;
    match entry.result() {
        Some(result) => Enqueued::Completed { seq: meta.seq, result: Some(result.clone()) },
        None => Enqueued::Duplicate { seq: meta.seq, state: meta.state },
    }
}
