//! A job of a pool, as its submitter has it.

use std::{error::Error, fmt};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// A job that a [`Pool`](super::Pool) runs. Dropping the handle leaves the job running.
#[derive(Debug)]
pub struct JobHandle<T> {
    pub(super) cancel: CancellationToken,
    pub(super) outcome: oneshot::Receiver<Result<T, NotDone>>,
}

/// Why a job of a pool has no output.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotDone {
    /// The job was cancelled, by its handle or by the end of the pool.
    Cancelled,
    /// The job panicked, with this message.
    Panicked(String),
}

impl<T> JobHandle<T> {
    /// Drops the job at its next await; one that has not begun never does. Others are not
    /// disturbed, and a job that has ended stays ended.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }

    /// Waits for the job to end. Dropping the future leaves the job running.
    ///
    /// # Errors
    /// Says why there is no output.
    pub async fn join(self) -> Result<T, NotDone> {
        // Without an answer the runtime itself has ended.
        self.outcome.await.unwrap_or(Err(NotDone::Cancelled))
    }
}

impl fmt::Display for NotDone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cancelled => f.write_str("the job was cancelled"),
            Self::Panicked(message) => write!(f, "the job panicked: {message}"),
        }
    }
}

impl Error for NotDone {}
