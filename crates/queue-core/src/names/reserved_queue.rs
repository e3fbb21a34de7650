//! The queues of the library itself, and the error of a program that names one as its own.

use super::QueueName;
use crate::Error;

/// The queues of the library itself begin with one of these.
pub(super) const PREFIXES: [&str; 2] = ["queue.", "leader:"];

/// A program enqueues into a queue of the library itself, or works on one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the queue {queue:?} belongs to the library, as all that begin with `queue.` or `leader:` do; \
     choose another name"
)]
pub struct ReservedQueue {
    /// The queue that was named.
    pub queue: QueueName,
}

impl QueueName {
    /// Whether the queue belongs to the library itself: its name begins with `queue.` or `leader:`.
    /// Such queues are not shown among the queues of applications.
    pub fn is_reserved(&self) -> bool {
        PREFIXES.iter().any(|prefix| self.as_str().starts_with(prefix))
    }

    /// Checks that jobs of a program may be in the queue. Anyone may look at a queue of the
    /// library.
    ///
    /// ```
    /// use queue_core::QueueName;
    ///
    /// assert!(QueueName::new("mail")?.check_open().is_ok());
    /// assert!(QueueName::new("queue.mine")?.check_open().is_err());
    /// # Ok::<(), queue_core::InvalidName>(())
    /// ```
    ///
    /// # Errors
    /// [`ReservedQueue`] for a queue that [is reserved](Self::is_reserved).
    pub fn check_open(&self) -> Result<(), ReservedQueue> {
        if self.is_reserved() { Err(ReservedQueue { queue: self.clone() }) } else { Ok(()) }
    }
}

impl From<ReservedQueue> for Error {
    fn from(reserved: ReservedQueue) -> Self {
        Self::invalid("validate", reserved.to_string()).with_source(reserved)
    }
}
