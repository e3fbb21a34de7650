//! A decided change of one job, for a store to apply.

use crate::{
    Failure, JobId, NewJob, QueueName, Seq,
    lifecycle::{Guard, Patch, Signals},
    payload_bytes,
};
use bytes::Bytes;

/// One decided change of one job, for a store to apply atomically: compare the guard, write the
/// patch and enqueue the jobs that follow, or answer why not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    /// The queue of the job, and of everything in `then`.
    pub queue: QueueName,
    /// The job.
    pub id: JobId,
    /// The life that was read. For another life of the id the answer is a missing job.
    pub seq: Seq,
    /// The condition that must still hold.
    pub guard: Guard,
    /// The fields to write.
    pub patch: Patch,
    /// Jobs to enqueue in the same atomic step, into the same queue. Their ids are fixed before the
    /// first send, and a job whose id is taken is not stored. Followers are allowed with every
    /// settle and with every change under a revision, since neither can happen twice: a settle that
    /// is repeated answers done and enqueues nothing, and a revision matches once. A heartbeat may
    /// be repeated, so it must have no followers
    /// ([`Limits::check_transition`](crate::Limits::check_transition) refuses it).
    pub then: Vec<NewJob>,
    /// The end signals that the store sends in the same atomic step, last of all. Only
    /// [`decide`](crate::lifecycle::decide) sets it: on the transition that ends a job which owes
    /// any.
    pub signal: Option<Signals>,
}

impl Transition {
    /// Whether the step of this transition sends end signals.
    pub fn sends(&self) -> bool {
        self.signal.is_some_and(|signal| signal.count > 0)
    }

    /// How many jobs the transition writes: its own, those that follow, and those that it signals.
    /// [`Limits::batch_max`](crate::Limits::batch_max) bounds the sum.
    pub fn weight(&self) -> usize {
        1 + self.then.len() + self.signal.map_or(0, |signal| usize::from(signal.count))
    }

    /// The bytes of all parts of variable size: result, error details, progress, an
    /// amended payload, and the payloads of the jobs that follow.
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
            Patch::Amend(amendment) => amendment.payload_bytes(),
            Patch::Remove | Patch::Flag(_) | Patch::Retain(_) | Patch::Seal => 0,
        };
        patch + payload_bytes(&self.then)
    }
}
