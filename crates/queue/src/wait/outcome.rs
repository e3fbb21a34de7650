//! The outcomes of a wait.

use crate::WaitError;
use queue_core::{Failure, Reason, State};

/// How a wait ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum Outcome<R> {
    /// The job is done, and this is its result; `()` and null are results too.
    Completed(R),
    /// The job was given up.
    Failed {
        /// The reason.
        reason: Reason,
        /// The last error, with its details.
        error: Option<Failure>,
    },
    /// The job was cancelled, or expired because it could not start in time.
    Cancelled {
        /// [`Reason::Expired`] if the job expired; `None` if a cancel was requested.
        reason: Option<Reason>,
    },
    /// The id now belongs to a newer life.
    Superseded,
    /// The job was seen, and then found gone: its outcome was not kept. A job that could not start
    /// in time is [`Cancelled`](Self::Cancelled).
    Expired,
    /// There is no job of this id, and this wait never saw one.
    Unknown,
    /// The deadline passed first. The job goes on.
    TimedOut {
        /// The job's state when it was last read; `None` if the store gave no answer.
        state: Option<State>,
        /// The error of its last attempt that failed, if there was one, without details.
        error: Option<Failure>,
    },
}

impl<R> Outcome<R> {
    /// The result, or any other outcome as an error.
    ///
    /// # Errors
    /// The variant of the same name.
    pub fn into_result(self) -> Result<R, WaitError> {
        match self {
            Self::Completed(result) => Ok(result),
            Self::Failed { reason, error } => Err(WaitError::Failed { reason, error }),
            Self::Cancelled { reason } => Err(WaitError::Cancelled { reason }),
            Self::Superseded => Err(WaitError::Superseded),
            Self::Expired => Err(WaitError::Expired),
            Self::Unknown => Err(WaitError::Unknown),
            Self::TimedOut { state, error } => Err(WaitError::TimedOut { state, error }),
        }
    }

    pub(super) fn try_map<T, E>(self, map: impl FnOnce(R) -> Result<T, E>) -> Result<Outcome<T>, E> {
        Ok(match self {
            Self::Completed(result) => Outcome::Completed(map(result)?),
            Self::Failed { reason, error } => Outcome::Failed { reason, error },
            Self::Cancelled { reason } => Outcome::Cancelled { reason },
            Self::Superseded => Outcome::Superseded,
            Self::Expired => Outcome::Expired,
            Self::Unknown => Outcome::Unknown,
            Self::TimedOut { state, error } => Outcome::TimedOut { state, error },
        })
    }
}
