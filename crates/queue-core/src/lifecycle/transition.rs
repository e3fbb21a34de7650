use crate::{
    JobId, NewJob, QueueName, Seq,
    lifecycle::{Guard, Patch},
};

/// One decided change of one job, for a store to apply atomically: compare the guard, write the patch and enqueue
/// what follows, or say why not.
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
    /// Jobs to enqueue in the same step. A replay never repeats them; an id that is taken is left as it is.
    pub then: Vec<NewJob>,
}
