//! Why a verb failed, before the error is tied to the name of the verb.

use crate::error::{Effect, explain, is_broken, is_conflict, is_in_recovery, is_outdated};
use queue_core::Error;

/// Why a verb failed, not yet tied to its name and to what may have been written.
#[derive(Debug)]
pub(crate) enum VerbError {
    /// An error of the driver or the server.
    Driver(sqlx::Error),
    /// An error of this library's own.
    Own(Error),
}

impl VerbError {
    /// Whether the verb lost against another transaction, and may win next time.
    pub(crate) fn is_conflict(&self) -> bool {
        matches!(self, Self::Driver(error) if is_conflict(error))
    }

    /// Whether a row is newer than the snapshot that its transaction has to keep to.
    pub(crate) fn is_outdated(&self) -> bool {
        matches!(self, Self::Driver(error) if is_outdated(error))
    }

    /// Whether the server is in recovery, when it has no counters.
    pub(crate) fn is_in_recovery(&self) -> bool {
        matches!(self, Self::Driver(error) if is_in_recovery(error))
    }

    /// Whether the connection broke.
    pub(crate) fn is_broken(&self) -> bool {
        matches!(self, Self::Driver(error) if is_broken(error))
    }

    /// Explains the error to the caller of a verb.
    pub(crate) fn explain(self, operation: &'static str, effect: Effect) -> Error {
        match self {
            Self::Driver(error) => explain(operation, error, effect),
            Self::Own(error) => error,
        }
    }
}

impl From<sqlx::Error> for VerbError {
    fn from(error: sqlx::Error) -> Self {
        Self::Driver(error)
    }
}

impl From<Error> for VerbError {
    fn from(error: Error) -> Self {
        Self::Own(error)
    }
}
