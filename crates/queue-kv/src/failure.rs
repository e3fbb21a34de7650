//! The failure of a transaction, before it is tied to the verb of a caller.

use crate::KvError;
use queue_core::{ClockLeap, Error, ErrorKind};

/// A failure that all callers of a group of calls share; each gets it in an error of its own.
#[derive(Clone, Debug)]
pub(crate) struct KvFailure {
    kind: ErrorKind,
    message: String,
    may_have_happened: bool,
    clock: Option<ClockLeap>,
}

pub(crate) type KvResult<T> = Result<T, KvFailure>;

impl KvFailure {
    pub(crate) fn corrupt(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Corrupt, message: message.into(), may_have_happened: false, clock: None }
    }

    /// Marks the failure as that of a commit, whose outcome is unknown.
    pub(crate) fn in_commit(self) -> Self {
        Self { may_have_happened: true, ..self }
    }

    pub(crate) fn of(&self, operation: &'static str) -> Error {
        if let Some(leap) = self.clock {
            return leap.of(operation);
        }
        let error = Error::new(self.kind, operation, self.message.clone());
        if self.may_have_happened { error.unknown() } else { error }
    }
}

impl From<Error> for KvFailure {
    fn from(error: Error) -> Self {
        let message = error.message().to_owned();
        Self { kind: error.kind(), message, may_have_happened: false, clock: None }
    }
}

impl From<ClockLeap> for KvFailure {
    fn from(leap: ClockLeap) -> Self {
        let (kind, message) = (ErrorKind::Unavailable, leap.to_string());
        Self { kind, message, may_have_happened: false, clock: Some(leap) }
    }
}

impl From<KvError> for KvFailure {
    fn from(error: KvError) -> Self {
        match error.downcast::<Error>() {
            Ok(error) => Self::from(*error),
            Err(error) => {
                let message = format!("the database failed: {error}");
                Self { kind: ErrorKind::Unavailable, message, may_have_happened: false, clock: None }
            }
        }
    }
}
