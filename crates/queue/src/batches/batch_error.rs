//! Why a call about a batch was refused.

use queue_core::{Error, JobId, QueueName};
use queue_worker::batches::BatchName;

/// Why a call about a batch was refused. It is the source of an [`Error`] of the kind `Invalid`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BatchError {
    /// A batch of this name is there that was opened in another way: with another time-out, say, or
    /// another callback.
    #[error(
        "there is a batch {name:?} that was opened in another way; give it the same callbacks and options, or another name"
    )]
    Exists {
        /// The name.
        name: BatchName,
    },
    /// The id of the batch's own job is taken by a job of another kind.
    #[error("a job that is no batch has the id of the batch {name:?}; choose another name")]
    NameTaken {
        /// The name.
        name: BatchName,
    },
    /// There is no such batch in the queue, or none any more. A batch and its members are in one
    /// queue.
    #[error(
        "the queue {queue:?} has no batch {name:?}, or none any more; a batch and its members are in one queue"
    )]
    NoBatch {
        /// The queue.
        queue: QueueName,
        /// The name.
        name: BatchName,
    },
    /// The batch has ended, timed out or was abandoned, so it takes no more.
    #[error("the batch {name:?} has ended or was abandoned: it takes no members and no changes")]
    Ended {
        /// The name.
        name: BatchName,
    },
    /// The batch was sealed, so that only its members may add more, with `Context::batch`.
    #[error("the batch {name:?} is sealed; only its members may add more, from their handlers")]
    Sealed {
        /// The name.
        name: BatchName,
    },
    /// The batch is not over, or it timed out and its members go on. It ends the records of its
    /// members by itself.
    #[error(
        "the batch {name:?} is not over, and will end the records of its members by itself; only one that was abandoned is swept"
    )]
    GoesOn {
        /// The name.
        name: BatchName,
    },
    /// The batch was abandoned, and a member of it has not ended.
    #[error("the job {id:?} of the batch {name:?} has not ended; let it end or cancel it, and sweep then")]
    MemberGoesOn {
        /// The name.
        name: BatchName,
        /// The member, or the job that cancels the members.
        id: JobId,
    },
    /// The name is taken by a batch that a transaction cannot compare with the one that it is to
    /// open.
    #[error(
        "the name of the batch {name:?} is taken; open it outside the transaction, which compares the two"
    )]
    TakenInTransaction {
        /// The name.
        name: BatchName,
    },
}

impl From<BatchError> for Error {
    fn from(error: BatchError) -> Self {
        Self::invalid("batch", error.to_string()).with_source(error)
    }
}
