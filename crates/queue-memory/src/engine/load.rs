use super::{Engine, stored_job::StoredJob};
use bytes::Bytes;
use queue_core::{JobId, QueueName, Seq, Timestamp, WorkerId, WorkerInfo};

/// Loading what a journal kept, as it is: nothing is decided here, and nobody is notified.
impl Engine {
    /// One record.
    pub fn stored(&self, queue: &QueueName, seq: Seq) -> Option<&StoredJob> {
        self.queues.get(queue)?.entries.get(&seq)
    }

    /// Which life has an id now.
    pub fn life_of(&self, queue: &QueueName, id: &JobId) -> Option<Seq> {
        self.queues.get(queue)?.ids.get(id).copied()
    }

    /// Puts a record in its place, instead of one of the same life.
    pub fn load(&mut self, stored: StoredJob) {
        let now = self.mark;
        let queue = stored.job.meta.queue.clone();
        self.last_seq = self.last_seq.max(stored.job.meta.seq.get());
        let state = self.state_mut(&queue);
        state.remove(stored.job.meta.seq);
        state.insert(stored, now);
    }

    /// Takes a record away and answers it.
    pub fn unload(&mut self, queue: &QueueName, seq: Seq) -> Option<StoredJob> {
        self.queues.get_mut(queue)?.remove(seq)
    }

    /// Replaces the bytes of a payload, and those of a result if there is one, for a caller that keeps them elsewhere.
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
            entry.body.payload.bytes = bytes;
        }
        if let (Some(bytes), Some(kept)) = (result, &mut entry.body.result) {
            kept.bytes = bytes;
        }
    }

    /// How many records there are.
    pub fn jobs(&self) -> usize {
        self.queues.values().map(|state| state.entries.len()).sum()
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

    /// Whether claims of a queue are stopped.
    pub fn is_paused(&self, queue: &QueueName) -> bool {
        self.queues.get(queue).is_some_and(|state| state.paused)
    }

    /// The queues whose claims are stopped.
    pub fn paused_queues(&self) -> impl Iterator<Item = &QueueName> {
        self.queues.iter().filter(|(_, state)| state.paused).map(|(queue, _)| queue)
    }

    /// Stops or resumes the claims of a queue without a notice.
    pub fn load_pause(&mut self, queue: &QueueName, paused: bool) {
        self.state_mut(queue).paused = paused;
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
