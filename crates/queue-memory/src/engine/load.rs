//! Loading records from a journal, without decisions or notices.

use super::{Engine, packed_job::PackedJob, queue_state::QueueState};
use bytes::Bytes;
use queue_core::{
    Attempt, JobBody, JobId, QueueName, Seq, Timestamp, WorkerId, WorkerInfo, lifecycle::TrackedJob,
};

/// Loading records as a journal has them: nothing is decided here, and no subscriber is notified.
impl Engine {
    /// One record.
    pub fn stored(&self, queue: &QueueName, seq: Seq) -> Option<&PackedJob> {
        self.queues.get(queue)?.entries.get(&seq).map(|entry| &**entry)
    }

    /// The life that has an id. Unknown during bulk loading.
    pub fn life_of(&self, queue: &QueueName, id: &JobId) -> Option<Seq> {
        if self.is_loading { None } else { self.queues.get(queue)?.ids.get(id).copied() }
    }

    /// Begins bulk loading, during which records can only be loaded, changed and unloaded, by their
    /// life. The indexes are built at its end, which is faster and takes less memory.
    pub fn begin_loading(&mut self) {
        self.is_loading = true;
    }

    /// Builds the indexes and ends bulk loading. Returns false if two lives have one id.
    pub fn end_loading(&mut self) -> bool {
        if !std::mem::take(&mut self.is_loading) {
            return true;
        }
        let now = self.mark;
        self.queues.iter_mut().for_each(|(_, state)| state.index(now));
        self.queues.iter().all(|(_, state)| state.ids.len() == state.entries.len())
    }

    /// Puts a job in its place, instead of one of the same life. The length of the payload is
    /// given, since its bytes may be elsewhere.
    pub fn load(
        &mut self,
        job: TrackedJob,
        body: JobBody,
        attempts: Vec<Attempt>,
        payload_len: u32,
    ) -> &PackedJob {
        let seq = job.meta.seq;
        let state = self.queues.open(&job.meta.queue, &mut self.undo);
        self.last_seq = self.last_seq.max(seq.get());
        let mut stored = state.pack(job, body, payload_len);
        for attempt in attempts {
            stored.charge(attempt);
        }
        // The indexes of a bulk load are built once, at its end.
        if self.is_loading {
            return state.insert_unindexed(stored);
        }
        state.remove(seq);
        state.insert(stored, self.mark)
    }

    /// Puts a record back in its place, where none is of the same life.
    pub(super) fn put_back(&mut self, stored: PackedJob) {
        let now = self.mark;
        self.state_mut(&stored.queue().clone()).insert(stored, now);
    }

    /// Changes a record and answers what `change` does; `None` if it is not there.
    pub fn reload<T>(
        &mut self,
        queue: &QueueName,
        seq: Seq,
        change: impl FnOnce(&mut PackedJob) -> T,
    ) -> Option<T> {
        let now = self.mark;
        let state = self.queues.get_mut(queue)?;
        if self.is_loading {
            state.entries.get_mut(&seq).map(|entry| change(entry))
        } else {
            state.update(seq, now, change)
        }
    }

    /// Takes a record away and answers it.
    pub fn unload(&mut self, queue: &QueueName, seq: Seq) -> Option<PackedJob> {
        let state = self.queues.get_mut(queue)?;
        if self.is_loading { state.remove_unindexed(seq) } else { state.remove(seq) }
    }

    /// Whether the end of a lease has opened a full partition of a queue since the last look.
    pub fn take_opened(&mut self, queue: &QueueName) -> bool {
        self.queues.get_mut(queue).is_some_and(QueueState::take_opened)
    }

    /// Replaces the bytes of a payload, and of a result if there is one, for a caller that keeps
    /// them elsewhere.
    pub fn set_body_bytes(
        &mut self,
        queue: &QueueName,
        seq: Seq,
        payload: Option<Bytes>,
        result: Option<Bytes>,
    ) {
        let entry = self.queues.get_mut(queue).and_then(|state| state.entries.get_mut(&seq));
        let Some(entry) = entry else { return };
        if let Some(bytes) = payload {
            entry.payload = bytes;
        }
        let kept = entry.course.as_mut().and_then(|course| course.result.as_mut());
        if let (Some(bytes), Some(kept)) = (result, kept) {
            kept.bytes = bytes;
        }
    }

    /// How many records there are.
    pub fn jobs(&self) -> usize {
        self.queues.iter().map(|(_, state)| state.entries.len()).sum()
    }

    /// The highest number that a life ever had.
    pub fn last_seq(&self) -> u64 {
        self.last_seq
    }

    /// The highest time that a write was decided by.
    pub fn mark(&self) -> Timestamp {
        self.mark
    }

    /// A write is decided by this time.
    pub fn raise_mark(&mut self, now: Timestamp) {
        self.mark = self.mark.max(now);
    }

    /// Goes on from at least this number and this time.
    pub fn raise(&mut self, last_seq: u64, mark: Timestamp) {
        self.last_seq = self.last_seq.max(last_seq);
        self.raise_mark(mark);
    }

    /// The queues without a job and without a pause: they stand nowhere else.
    pub fn idle_queues(&self) -> impl Iterator<Item = &QueueName> {
        let is_idle = |state: &QueueState| state.entries.is_empty() && state.pauses.is_empty();
        self.queues.iter().filter(move |(_, state)| is_idle(state)).map(|(queue, _)| queue)
    }

    /// Every worker that announced itself, and until when it is shown.
    pub fn presence(&self) -> impl Iterator<Item = (&WorkerInfo, Timestamp)> {
        self.presence.values().map(|(worker, until)| (worker, *until))
    }

    /// Shows a worker until then.
    pub fn load_worker(&mut self, worker: WorkerInfo, until: Timestamp) {
        let now = self.mark;
        self.presence.retain(|_, (_, until)| *until > now);
        self.presence.insert(worker.id.clone(), (worker, until));
    }

    /// Hides a worker.
    pub fn unload_worker(&mut self, worker: &WorkerId) {
        self.presence.remove(worker);
    }
}
