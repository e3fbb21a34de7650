//! Storing new jobs.

use super::{Engine, packed_job::PackedJob};
use queue_core::{
    Enqueued, JobBody, JobMeta, NewJob, QueueName, Seq, Signalling, Timestamp,
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
            answers.extend(group.into_iter().map(|new| self.enqueue_one(queue, new, None, now)));
            answers
        };
        groups.into_iter().map(group).collect()
    }

    /// Stores one job. `holder` is the job whose own step it follows, if that has not ended.
    pub(super) fn enqueue_one(
        &mut self,
        queue: &QueueName,
        mut new: NewJob,
        holder: Option<Seq>,
        now: Timestamp,
    ) -> Enqueued {
        let Self { queues, undo, notices, last_seq, .. } = self;
        if new.raises() && queues.get(queue).is_none() {
            return Enqueued::Orphaned;
        }
        let state = queues.open(queue, undo);
        let former = match state.by_id(&new.id) {
            None => None,
            Some(entry) => {
                let former = Box::new(entry.meta());
                if admit(Some(&former), &new, now) == Admission::Duplicate {
                    return taken_by(entry);
                }
                Some(former)
            }
        };
        let signals = &mut new.end_signals;
        let has_signals = !signals.is_empty();
        if has_signals && !state.raise(signals, holder, undo, now) {
            return Enqueued::Orphaned;
        }
        if let Some(former) = former.as_ref().and_then(|former| state.remove(former.seq)) {
            undo.changes(&former);
            // Waiters for the former life need a hint of its end: from here on the id leads to
            // another.
            notices.tell(queue, former.farewell());
        }
        *last_seq += 1;
        let seq = Seq::new(*last_seq);
        let meta = match former {
            None => JobMeta::begin(queue.clone(), &new, seq, now),
            Some(former) => JobMeta::replacing(&former, &new, seq, now),
        };
        let signalling =
            if has_signals { Signalling::owing(new.end_signals.len()) } else { Signalling::None };
        let meta = JobMeta { signalling, ..meta };
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
