use queue_core::{Hub, JobChange, JobMeta, QueueName};

/// What subscribers shall hear of once the transaction at hand is durable, in order.
#[derive(Debug, Default)]
pub(super) struct Hints {
    pending: Vec<Hint>,
    /// Whether anybody listened when the transaction began.
    is_heard: bool,
}

#[derive(Debug)]
enum Hint {
    Wake(QueueName),
    Changed(QueueName, JobChange),
}

impl Hints {
    pub(super) fn begin(&mut self, is_heard: bool) {
        self.pending.clear();
        self.is_heard = is_heard;
    }

    /// A claim on the queue may now find something. One wake-up in a row is enough.
    pub(super) fn wake(&mut self, queue: &QueueName) {
        let is_repeated = matches!(self.pending.last(), Some(Hint::Wake(last)) if last == queue);
        if self.is_heard && !is_repeated {
            self.pending.push(Hint::Wake(queue.clone()));
        }
    }

    /// A job changed. One that now waits is also a reason to wake.
    pub(super) fn changed(&mut self, job: &JobMeta) {
        self.push(job, true);
        if job.state.is_waiting() {
            self.wake(&job.queue);
        }
    }

    /// A job is gone.
    pub(super) fn removed(&mut self, job: &JobMeta) {
        self.push(job, false);
    }

    /// Tells everybody. Those who came during the transaction may have read the state before it, so they are told that
    /// they missed something.
    pub(super) fn publish(&mut self, hub: &Hub) {
        if !self.is_heard && hub.has_subscribers() {
            return hub.missed();
        }
        for hint in self.pending.drain(..) {
            match hint {
                Hint::Wake(queue) => hub.wake(&queue),
                Hint::Changed(queue, change) => hub.changed(&queue, &change),
            }
        }
    }

    pub(super) fn clear(&mut self) {
        self.pending.clear();
    }

    fn push(&mut self, job: &JobMeta, is_present: bool) {
        if !self.is_heard {
            return;
        }
        let state = is_present.then_some(job.state);
        let change = JobChange { id: job.id.clone(), seq: job.seq, revision: job.revision, state };
        self.pending.push(Hint::Changed(job.queue.clone(), change));
    }
}
