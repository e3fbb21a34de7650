//! Why a call that waits for a result has none.

use crate::CodecError;
use queue_core::{Error, Failure, Reason, State};
use std::fmt;

/// Why a call that waits for a result has none. All variants except the last are variants of
/// [`Outcome`](crate::Outcome).
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WaitError {
    /// The job was given up.
    #[error("the job failed ({reason}){}", Detail(.error.as_ref()))]
    Failed {
        /// The reason.
        reason: Reason,
        /// The last error, with its details.
        error: Option<Failure>,
    },
    /// The job was cancelled, or expired because it could not start in time.
    #[error("{}", cancelled(*.reason))]
    Cancelled {
        /// [`Reason::Expired`] if the job expired; `None` if a cancel was requested.
        reason: Option<Reason>,
    },
    /// The id now belongs to a newer life.
    #[error("the job was replaced by a newer one of the same id")]
    Superseded,
    /// The job was seen, and then found gone.
    #[error("the job and its outcome have been removed; keep it longer")]
    Expired,
    /// There is no job of this id.
    #[error("there is no job of this id")]
    Unknown,
    /// The deadline passed first. The job goes on.
    #[error("the deadline passed while the job {}", Unfinished(*.state, .error.as_ref()))]
    TimedOut {
        /// The job's state when it was last read; `None` if the store gave no answer. Then it is
        /// not known whether a job of the call was stored.
        state: Option<State>,
        /// The error of the job's last attempt that failed, if there was one, without details.
        error: Option<Failure>,
    },
    /// The request was refused, or the store failed.
    #[error(transparent)]
    Store(#[from] Error),
}

impl From<CodecError> for WaitError {
    fn from(error: CodecError) -> Self {
        Self::Store(error.into())
    }
}

fn cancelled(reason: Option<Reason>) -> &'static str {
    match reason {
        Some(Reason::Expired) => "the job was cancelled: it had not started by the time that it was given",
        _ => "the job was cancelled",
    }
}

/// What an unfinished job does, and why its last attempt failed.
struct Unfinished<'a>(Option<State>, Option<&'a Failure>);

impl fmt::Display for Unfinished<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => f.write_str("was not seen")?,
            Some(State::Failing) => f.write_str("waited for its next attempt")?,
            Some(state) => write!(f, "was {state}")?,
        }
        self.1.map_or(Ok(()), |failure| write!(f, "; its last attempt failed: {failure}"))
    }
}

/// A failure behind a colon, if there is one.
struct Detail<'a>(Option<&'a Failure>);

impl fmt::Display for Detail<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |failure| write!(f, ": {failure}"))
    }
}
