use queue_core::{JobChange, JobMeta, QueueName};

/// Something that others may want to hear of, once the change is as durable as promised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// A claim on the queue may now find something.
    Wake(QueueName),
    /// A job changed.
    Changed(QueueName, JobChange),
}

#[derive(Debug, Default)]
pub(super) struct Notices {
    taken_next: Vec<Notice>,
    /// Nobody wants to hear of single jobs.
    are_wakes_only: bool,
}

impl Notices {
    /// One wake-up in a row is enough.
    pub(super) fn wake(&mut self, queue: &QueueName) {
        let is_repeated = matches!(self.taken_next.last(), Some(Notice::Wake(last)) if last == queue);
        if !is_repeated {
            self.taken_next.push(Notice::Wake(queue.clone()));
        }
    }

    /// A job that now waits is also a reason to wake.
    pub(super) fn changed(&mut self, job: &JobMeta) {
        self.push(job, true);
        if job.state.is_waiting() {
            self.wake(&job.queue);
        }
    }

    pub(super) fn removed(&mut self, job: &JobMeta) {
        self.push(job, false);
    }

    pub(super) fn take(&mut self) -> Vec<Notice> {
        std::mem::take(&mut self.taken_next)
    }

    pub(super) fn set_wakes_only(&mut self, are_wakes_only: bool) {
        self.are_wakes_only = are_wakes_only;
    }

    fn push(&mut self, job: &JobMeta, is_present: bool) {
        if self.are_wakes_only {
            return;
        }
        let state = is_present.then_some(job.state);
        let change = JobChange { id: job.id.clone(), seq: job.seq, revision: job.revision, state };
        self.taken_next.push(Notice::Changed(job.queue.clone(), change));
    }
}
