//! What SQLite says, in terms of what the caller should do.

use queue_core::{Error, ErrorKind};
use rusqlite::ErrorCode;
use std::{path::Path, sync::Arc};

/// A failed statement or transaction, not yet tied to the verb that meets it: one can fail a whole group.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    kind: ErrorKind,
    message: Arc<str>,
    source: Arc<rusqlite::Error>,
    is_unknown: bool,
}

impl Fault {
    /// Nothing of it was applied.
    pub(crate) fn new(path: &Path, source: rusqlite::Error) -> Self {
        let (kind, advice) = advise(&source);
        let message = format!("{advice} ({}: {source})", path.display()).into();
        Self { kind, message, source: Arc::new(source), is_unknown: false }
    }

    /// The commit failed in a way that may have left it on the disk all the same.
    pub(crate) fn in_commit(mut self) -> Self {
        let certain =
            matches!(self.source.sqlite_error_code(), Some(ErrorCode::DiskFull | ErrorCode::DatabaseBusy));
        self.is_unknown = !certain;
        self
    }

    /// There was no room, and nothing was written.
    pub(crate) fn is_full_disk(&self) -> bool {
        self.source.sqlite_error_code() == Some(ErrorCode::DiskFull)
    }

    /// For the caller of a verb.
    pub(crate) fn of(&self, operation: &'static str) -> Error {
        let error =
            Error::new(self.kind, operation, self.message.to_string()).with_source(self.source.clone());
        if self.is_unknown { error.unknown() } else { error }
    }
}

/// What kind of failure it is, and how to mend it.
fn advise(error: &rusqlite::Error) -> (ErrorKind, &'static str) {
    let Some(code) = error.sqlite_error_code() else {
        return match error {
            rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::QueryReturnedNoRows => {
                (ErrorKind::Corrupt, "a stored value is not one that this library writes; run verify")
            }
            _ => (ErrorKind::Internal, "SQLite was used wrongly, which is a bug"),
        };
    };
    match code {
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed => (
            ErrorKind::Unavailable,
            "another program held the write lock for too long; try again, and keep its transactions short",
        ),
        ErrorCode::DiskFull => {
            (ErrorKind::Unavailable, "the disk or its quota is full; free some space and try again")
        }
        ErrorCode::SystemIoFailure => {
            (ErrorKind::Unavailable, "the disk failed; check it, and open the store again")
        }
        ErrorCode::OutOfMemory => (ErrorKind::Unavailable, "memory is short; try again"),
        ErrorCode::ReadOnly | ErrorCode::PermissionDenied => {
            (ErrorKind::Invalid, "the file and its directory must be writable; change their permissions")
        }
        ErrorCode::CannotOpen => (
            ErrorKind::Invalid,
            "the file cannot be opened; its directory must exist and be readable and writable",
        ),
        ErrorCode::NotADatabase => {
            (ErrorKind::Corrupt, "the file is no SQLite database; check the path, or restore a backup")
        }
        ErrorCode::DatabaseCorrupt => {
            (ErrorKind::Corrupt, "the database file is damaged; restore a backup, or dump it and load it")
        }
        ErrorCode::TooBig => (ErrorKind::Invalid, "a value is too big for SQLite; lower the limits"),
        _ => (ErrorKind::Internal, "SQLite refused a statement; were the queue's tables changed by hand?"),
    }
}
