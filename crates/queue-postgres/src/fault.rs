use crate::error::{Effect, explain, is_broken, is_conflict, is_in_recovery, is_outdated};
use queue_core::Error;

/// Why a verb failed, not yet tied to its name and to what may have been written.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The driver or the server said so.
    Driver(sqlx::Error),
    /// This library did.
    Own(Error),
}

impl Fault {
    /// Lost against another transaction, and may win next time.
    pub(crate) fn is_conflict(&self) -> bool {
        matches!(self, Self::Driver(error) if is_conflict(error))
    }

    /// A row is newer than the snapshot that its transaction has to keep to.
    pub(crate) fn is_outdated(&self) -> bool {
        matches!(self, Self::Driver(error) if is_outdated(error))
    }

    /// The server is in recovery, and has no counters then.
    pub(crate) fn is_in_recovery(&self) -> bool {
        matches!(self, Self::Driver(error) if is_in_recovery(error))
    }

    /// A connection broke.
    pub(crate) fn is_broken(&self) -> bool {
        matches!(self, Self::Driver(error) if is_broken(error))
    }

    /// For the caller of a verb.
    pub(crate) fn explain(self, operation: &'static str, effect: Effect) -> Error {
        match self {
            Self::Driver(error) => explain(operation, error, effect),
            Self::Own(error) => error,
        }
    }
}

impl From<sqlx::Error> for Fault {
    fn from(error: sqlx::Error) -> Self {
        Self::Driver(error)
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Own(error)
    }
}
