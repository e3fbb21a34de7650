use crate::{
    Failure, JobId, NewJob, QueueName, Seq,
    lifecycle::{Guard, Patch},
    payload_bytes,
};
use bytes::Bytes;

/// One decided change of one job, for a store to apply atomically: compare the guard, write the
/// patch and enqueue what follows, or say why not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    /// The queue of the job, and of everything in `then`.
    pub queue: QueueName,
    /// The job.
    pub id: JobId,
    /// The life that was seen. Another life of the id is a missing job.
    pub seq: Seq,
    /// What must still hold.
    pub guard: Guard,
    /// What to write.
    pub patch: Patch,
    /// Jobs to enqueue in the same atomic step, into the same queue; their ids are fixed before the
    /// first send, and an id that is taken is left as it is. Allowed with every settle and with
    /// every change under a revision, since neither can happen twice: a settle that is repeated
    /// answers done and enqueues nothing, and a revision matches once. A heartbeat may be repeated,
    /// so it carries none ([`Limits::check_transition`](crate::Limits::check_transition) refuses
    /// it).
    pub then: Vec<NewJob>,
}

impl Transition {
    /// How many jobs it writes: its own, and those that follow.
    /// [`Limits::batch_max`](crate::Limits::batch_max) bounds the sum.
    pub fn weight(&self) -> usize {
        1 + self.then.len()
    }

    /// Bytes of everything that its author can make large: result, error details, progress, and the
    /// payloads of what follows.
    pub fn large_bytes(&self) -> usize {
        let details =
            |error: &Option<Failure>| error.as_ref().and_then(Failure::details).map_or(0, Bytes::len);
        let patch = match &self.patch {
            Patch::Finish(finish) => {
                details(&finish.error) + finish.result.as_ref().map_or(0, |result| result.bytes.len())
            }
            Patch::Requeue(requeue) => {
                details(&requeue.error) + requeue.progress.as_ref().map_or(0, Bytes::len)
            }
            Patch::Extend { progress, .. } => progress.as_ref().map_or(0, Bytes::len),
            Patch::Remove | Patch::Flag(_) | Patch::Retain(_) => 0,
        };
        patch + payload_bytes(&self.then)
    }
}
