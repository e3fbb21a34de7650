use queue_core::{Hub, JobChange, JobMeta, QueueName};

/// What the subscribers of this handle shall hear of once the transaction at hand is durable, in order. Those of other
/// processes are told by the statements themselves.
#[derive(Debug, Default)]
pub(crate) struct Hints {
    pending: Vec<Hint>,
    /// Whether anybody listened when it began.
    is_heard: bool,
}

#[derive(Debug)]
enum Hint {
    Wake(QueueName),
    Changed(QueueName, JobChange),
}

impl Hints {
    /// Begins, or begins again.
    pub(crate) fn begin(hub: &Hub) -> Self {
        Self { pending: Vec::new(), is_heard: hub.has_subscribers() }
    }

    /// A claim on the queue may now find something. One wake-up in a row is enough.
    pub(crate) fn wake(&mut self, queue: &QueueName) {
        let is_repeated = matches!(self.pending.last(), Some(Hint::Wake(last)) if last == queue);
        if self.is_heard && !is_repeated {
            self.pending.push(Hint::Wake(queue.clone()));
        }
    }

    /// A job changed. One that now waits is also a reason to wake.
    pub(crate) fn changed(&mut self, job: &JobMeta) {
        let change =
            JobChange { id: job.id.clone(), seq: job.seq, revision: job.revision, state: Some(job.state) };
        self.push(&job.queue, change);
        if job.state.is_waiting() {
            self.wake(&job.queue);
        }
    }

    /// A job is gone.
    pub(crate) fn removed(&mut self, job: &JobMeta) {
        let change = JobChange { id: job.id.clone(), seq: job.seq, revision: job.revision, state: None };
        self.push(&job.queue, change);
    }

    /// A job changed, or is gone, of which only this is known.
    pub(crate) fn push(&mut self, queue: &QueueName, change: JobChange) {
        if self.is_heard {
            self.pending.push(Hint::Changed(queue.clone(), change));
        }
    }

    /// Tells everybody. Those who came meanwhile may have read the state before it, so they are told that they missed
    /// something.
    pub(crate) fn publish(self, hub: &Hub) {
        if !self.is_heard && hub.has_subscribers() {
            return hub.missed();
        }
        for hint in self.pending {
            match hint {
                Hint::Wake(queue) => hub.wake(&queue),
                Hint::Changed(queue, change) => hub.changed(&queue, &change),
            }
        }
    }
}
