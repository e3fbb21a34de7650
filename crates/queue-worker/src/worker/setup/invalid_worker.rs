//! Why a worker does not build, where a program can tell the cause by its type.

use crate::{handler::JobHandler, operations::OPERATIONS_QUEUE};
use queue_core::{Error, QueueName, ReservedQueue};

/// Why a worker does not build: the [`source`](std::error::Error::source) of the error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidWorker {
    /// The handler names the kinds that it takes, and takes none. Each job would be a failed
    /// attempt, by [`UnknownKind`](queue_core::Reason::UnknownKind).
    #[error(
        "there is no handler, so every job would fail: add one by `Router::handle`, `Router::handle_blocking` \
         or `Router::fallback`"
    )]
    NoHandlers,
    /// A queue of the library itself, other than the one of operations.
    #[error(transparent)]
    ReservedQueue(ReservedQueue),
}

impl InvalidWorker {
    /// Checks that a program may work on a queue. Of the queues of the library it may work on
    /// [`OPERATIONS_QUEUE`] alone.
    pub(super) fn check_queue(queue: &QueueName) -> Result<(), Self> {
        if queue.as_str() == OPERATIONS_QUEUE {
            return Ok(());
        }
        queue.check_open().map_err(Self::ReservedQueue)
    }

    /// Checks that jobs of these queues can have a handler. A worker of the queue
    /// [`OPERATIONS_QUEUE`] alone needs none of the program's.
    ///
    /// # Errors
    /// [`NoHandlers`](Self::NoHandlers).
    pub fn check_handler<'a>(
        handler: &JobHandler,
        queues: impl IntoIterator<Item = &'a QueueName>,
    ) -> Result<(), Self> {
        let takes_none = handler.kinds().is_some_and(|kinds| kinds.is_empty());
        let needs_one = |queue: &QueueName| queue.as_str() != OPERATIONS_QUEUE;
        if takes_none && queues.into_iter().any(needs_one) { Err(Self::NoHandlers) } else { Ok(()) }
    }
}

impl From<InvalidWorker> for Error {
    fn from(invalid: InvalidWorker) -> Self {
        Self::invalid("build worker", invalid.to_string()).with_source(invalid)
    }
}
