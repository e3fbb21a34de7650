//! What SQLite says, in terms of what the caller should do.

use queue_core::{ClockLeap, Error, ErrorKind};
use rusqlite::ErrorCode;
use std::{io, path::Path, sync::Arc};

/// A failed statement or transaction that is not yet tied to a verb, since one failure can fail a
/// whole group.
#[derive(Clone, Debug)]
pub(crate) struct SqliteFault {
    kind: ErrorKind,
    message: Arc<str>,
    source: Option<FaultSource>,
    is_unknown: bool,
}

/// The file has given out every number that its keys have room for.
#[derive(Debug)]
pub(crate) struct KeySpaceExhausted(pub(crate) &'static str);

impl std::fmt::Display for KeySpaceExhausted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "no number for {} is left", self.0)
    }
}

impl std::error::Error for KeySpaceExhausted {}

impl From<KeySpaceExhausted> for rusqlite::Error {
    fn from(exhausted: KeySpaceExhausted) -> Self {
        Self::ToSqlConversionFailure(Box::new(exhausted))
    }
}

/// What said so.
#[derive(Clone, Debug)]
enum FaultSource {
    Sqlite(Arc<rusqlite::Error>),
    System(Arc<io::Error>),
    Clock(ClockLeap),
}

/// A clock that has leapt ahead, where statements are run.
pub(crate) fn leapt(leap: ClockLeap) -> rusqlite::Error {
    rusqlite::Error::ToSqlConversionFailure(Box::new(leap))
}

impl SqliteFault {
    /// Nothing of it was applied.
    pub(crate) fn new(path: &Path, source: rusqlite::Error) -> Self {
        if let rusqlite::Error::ToSqlConversionFailure(inner) = &source
            && let Some(leap) = inner.downcast_ref::<ClockLeap>()
        {
            return Self::leapt(*leap);
        }
        let (kind, advice) = advise(&source);
        let message = format!("{advice} ({}: {source})", path.display()).into();
        Self { kind, message, source: Some(FaultSource::Sqlite(Arc::new(source))), is_unknown: false }
    }

    fn leapt(leap: ClockLeap) -> Self {
        let (kind, message) = (ErrorKind::Unavailable, leap.to_string().into());
        Self { kind, message, source: Some(FaultSource::Clock(leap)), is_unknown: false }
    }

    /// A file of the store is not where it was, so writes to it are lost, or belong to another
    /// store.
    pub(crate) fn lost(path: &Path, what_happened: &str) -> Self {
        let message = format!(
            "{} {what_happened} while it was open, so nothing is acknowledged any more; close this handle, see that the \
             files are in their place, and open the store again",
            path.display()
        );
        Self { kind: ErrorKind::Closed, message: message.into(), source: None, is_unknown: false }
    }

    /// The system does not say whether a file of the store is where it was.
    pub(crate) fn unseen(path: &Path, source: io::Error) -> Self {
        let message = format!(
            "{}: it cannot be seen whether the file is still there; check its directory",
            path.display()
        );
        let source = Some(FaultSource::System(Arc::new(source)));
        Self { kind: ErrorKind::Unavailable, message: message.into(), source, is_unknown: false }
    }

    /// The commit failed in a way that may have left it on the disk.
    pub(crate) fn in_commit(self) -> Self {
        let is_certain = matches!(self.code(), Some(ErrorCode::DiskFull | ErrorCode::DatabaseBusy));
        if is_certain { self } else { self.unknown() }
    }

    /// It may have happened in spite of the error.
    pub(crate) fn unknown(mut self) -> Self {
        self.is_unknown = true;
        self
    }

    /// There was no room, and nothing was written.
    pub(crate) fn is_full_disk(&self) -> bool {
        self.code() == Some(ErrorCode::DiskFull)
    }

    /// It passes by itself or with more room, so nothing is wrong with the files.
    pub(crate) fn is_passing(&self) -> bool {
        matches!(self.source, Some(FaultSource::Clock(_)))
            || matches!(
                self.code(),
                Some(ErrorCode::DiskFull | ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
            )
    }

    /// The handle must not be used any more.
    pub(crate) fn is_lost(&self) -> bool {
        self.kind == ErrorKind::Closed
    }

    /// For the caller of a verb.
    pub(crate) fn of(&self, operation: &'static str) -> Error {
        let error = Error::new(self.kind, operation, self.message.to_string());
        let error = match &self.source {
            Some(FaultSource::Sqlite(source)) => error.with_source(source.clone()),
            Some(FaultSource::System(source)) => error.with_source(source.clone()),
            Some(FaultSource::Clock(leap)) => error.with_source(*leap),
            None => error,
        };
        if self.is_unknown { error.unknown() } else { error }
    }

    fn code(&self) -> Option<ErrorCode> {
        match &self.source {
            Some(FaultSource::Sqlite(error)) => error.sqlite_error_code(),
            _ => None,
        }
    }
}

/// What kind of failure it is, and how to repair it.
fn advise(error: &rusqlite::Error) -> (ErrorKind, &'static str) {
    let Some(code) = error.sqlite_error_code() else {
        return match error {
            rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::QueryReturnedNoRows => {
                (ErrorKind::Corrupt, "a stored value is not one that this library writes; run verify")
            }
            rusqlite::Error::ToSqlConversionFailure(_) => (
                ErrorKind::Unsupported,
                "the file has numbered all the jobs or queues that it has room for; begin another file",
            ),
            _ => (ErrorKind::Internal, "SQLite was used wrongly, which is a bug"),
        };
    };
    match code {
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed => (
            ErrorKind::Unavailable,
            "somebody else held the write lock for too long: another program, or a transaction of this one on the same file; try again, \
             and keep such transactions short",
        ),
        ErrorCode::DiskFull => {
            (ErrorKind::Unavailable, "the disk or its quota is full; free some space and try again")
        }
        ErrorCode::SystemIoFailure => {
            (ErrorKind::Unavailable, "the disk failed, or is full; check it, and open the store again")
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
            let advice = "the database file is damaged; restore a backup, or save what can be read with \
                          `sqlite3 FILE .recover | sqlite3 NEWFILE`";
            (ErrorKind::Corrupt, advice)
        }
        ErrorCode::TooBig => (ErrorKind::Invalid, "a value is too big for SQLite; lower the limits"),
        _ => (ErrorKind::Internal, "SQLite refused a statement; were the queue's tables changed by hand?"),
    }
}
