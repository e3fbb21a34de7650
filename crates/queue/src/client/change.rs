//! The answer to a request to change a job.

use queue_core::{Changed, Error, ErrorKind, Result, State, lifecycle::Rejected};

/// The answer to a request to change a job that the caller does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use]
#[non_exhaustive]
pub enum Change {
    /// The change is done, now or by an earlier request. A job that was cancelled never starts
    /// again and never becomes Completed.
    Done,
    /// The job runs, and its holder will be asked to cancel it; it may still complete. Of a batch:
    /// the workers of its queue will cancel its members. Only
    /// [`Queue::cancel_with`](crate::Queue::cancel_with) and
    /// [`Batches::cancel`](crate::batches::Batches::cancel) have this answer.
    Requested,
    /// The change is not allowed in this state; nothing was changed.
    NotAllowed(State),
    /// The job is at another revision than the caller named; nothing was changed. Only
    /// [`Queue::amend`](crate::Queue::amend) has this answer.
    Moved,
    /// There is no such job, or no such batch.
    Missing,
}

impl Change {
    pub(crate) fn of(changed: &Changed) -> Result<Self> {
        match changed {
            Changed::Done(_) => Ok(Self::Done),
            Changed::Rejected(rejected) => Ok(Self::NotAllowed(rejected.state())),
            Changed::Missing => Ok(Self::Missing),
            Changed::LeaseLost(_) => Err(lease_without_token()),
        }
    }

    pub(crate) fn of_cancel(changed: &Changed) -> Result<Self> {
        match changed {
            // A job that was not running is Cancelled, or removed if it is not to be kept.
            Changed::Done(meta) if meta.state == State::Processing => Ok(Self::Requested),
            Changed::Rejected(Rejected::Already(State::Processing)) => Ok(Self::Requested),
            Changed::Rejected(Rejected::Already(State::Cancelled)) => Ok(Self::Done),
            other => Self::of(other),
        }
    }
}

fn lease_without_token() -> Error {
    Error::new(ErrorKind::Internal, "change", "the store lost a lease that was not held")
}
