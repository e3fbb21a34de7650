//! The refusal of an id that belongs to a job of another kind.

use queue_core::{Error, JobId, JobMeta, Kind, QueueName};

/// A handle of one kind was asked about an id that belongs to a job of another kind. Ids belong
/// to the queue and not to a kind, so the answer would be about other work.
///
/// Reads by a handle that has [hooks](crate::QueueBuilder::before_enqueue) are not checked, since a
/// hook may change the kind of a job; nor are enqueues where the store refuses the read, as a
/// service does to a token that may only enqueue.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the id {id:?} of the queue {queue:?} is that of a job of the kind {found:?}, not {asked:?}; ids belong to the queue, not to a kind: put the kind into the id"
)]
#[non_exhaustive]
pub struct OtherKind {
    /// The queue.
    pub queue: QueueName,
    /// The id.
    pub id: JobId,
    /// The kind of the job that has the id.
    pub found: Kind,
    /// The kind that was asked for.
    pub asked: Kind,
}

impl OtherKind {
    /// Refuses a job that is of another kind.
    pub(crate) fn check(operation: &'static str, found: &JobMeta, asked: &Kind) -> Result<(), Error> {
        if found.kind == *asked {
            return Ok(());
        }
        let other = Self {
            queue: found.queue.clone(),
            id: found.id.clone(),
            found: found.kind.clone(),
            asked: asked.clone(),
        };
        Err(Error::invalid(operation, other.to_string()).with_source(other))
    }
}
