//! What PostgreSQL and its driver say, in terms of what the caller should do.

use crate::tls;
use queue_core::{Error, ErrorKind};
use sqlx::postgres::PgConnectOptions;
use std::{borrow::Cow, io, sync::Arc};

const SERIALIZATION_FAILURE: &str = "40001";
const DEADLOCK_DETECTED: &str = "40P01";
/// How `enqueue_new.sql` says that an id was taken.
const UNIQUE_VIOLATION: &str = "23505";
/// How `enqueue.sql` says that an id was taken and freed meanwhile: `refuse_lost_race` of the
/// schema raises it.
const LOST_RACE: &str = "QJ001";
/// How a server says that it has no database of that name.
const NO_DATABASE: &str = "3D000";
/// How a server in recovery answers a read of tables that are not logged.
const FEATURE_NOT_SUPPORTED: &str = "0A000";

/// Whether what failed may have been written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Nothing was written: nothing was sent, nothing was to be written, or a transaction was open.
    None,
    /// Something may have been written if the connection broke before the answer: by a statement
    /// that commits by itself, or by a commit.
    Possible,
}

/// Explains an error to the caller of a verb.
pub(crate) fn explain(operation: &'static str, error: sqlx::Error, effect: Effect) -> Error {
    let (kind, advice) = advise(&error);
    let is_unknown = effect == Effect::Possible && is_broken(&error);
    let explained = Error::new(kind, operation, format!("{advice} ({error})")).with_source(error);
    if is_unknown { explained.unknown() } else { explained }
}

/// Explains why there is no connection; nothing was sent then.
pub(crate) fn unreachable(
    operation: &'static str,
    connect: &PgConnectOptions,
    error: Arc<sqlx::Error>,
) -> Error {
    let place = place(connect);
    let (kind, message) = match &*error {
        sqlx::Error::Io(failed) => match tls::verdict(failed) {
            Some(advice) => (ErrorKind::Invalid, format!("{place}: {advice}")),
            None => (
                ErrorKind::Unavailable,
                format!(
                    "no server can be reached at {place} ({error}); is it running, and is that its address?"
                ),
            ),
        },
        error => {
            let (kind, advice) = advise(error);
            (kind, format!("{advice} ({error})"))
        }
    };
    // What a handle was opened with was right then, so it is the server that changed, and may
    // change back.
    let is_mended_elsewhere = kind == ErrorKind::Invalid && operation != "open";
    let kind = if is_mended_elsewhere { ErrorKind::Unavailable } else { kind };
    let explained = Error::new(kind, operation, message);
    if is_without_database(&error) {
        // As stores of files say it of theirs.
        explained.with_source(io::Error::new(io::ErrorKind::NotFound, error))
    } else {
        explained.with_source(error)
    }
}

/// Where a server is said to be.
pub(crate) fn place(connect: &PgConnectOptions) -> String {
    match connect.get_socket() {
        Some(socket) => socket.display().to_string(),
        None if connect.get_host().contains(':') => {
            format!("[{}]:{}", connect.get_host(), connect.get_port())
        }
        None => format!("{}:{}", connect.get_host(), connect.get_port()),
    }
}

/// True for a statement that lost against another one and may win next time.
pub(crate) fn is_conflict(error: &sqlx::Error) -> bool {
    matches!(
        code(error).as_deref(),
        Some(SERIALIZATION_FAILURE | DEADLOCK_DETECTED | LOST_RACE | UNIQUE_VIOLATION)
    )
}

/// True if the server has no database of that name.
fn is_without_database(error: &sqlx::Error) -> bool {
    code(error).as_deref() == Some(NO_DATABASE)
}

/// True for a look at tables that are not logged, on a server in recovery.
pub(crate) fn is_in_recovery(error: &sqlx::Error) -> bool {
    code(error).as_deref() == Some(FEATURE_NOT_SUPPORTED)
}

/// True for a statement of a transaction that may not see what others committed meanwhile.
pub(crate) fn is_outdated(error: &sqlx::Error) -> bool {
    code(error).as_deref() == Some(SERIALIZATION_FAILURE)
}

/// True if the connection is of no more use, and it is unknown how far the server got.
pub(crate) fn is_broken(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_) | sqlx::Error::Protocol(_) | sqlx::Error::WorkerCrashed | sqlx::Error::Tls(_) => {
            true
        }
        sqlx::Error::Database(_) => {
            // Sessions that are ended by the server may have committed before they could say so.
            code(error)
                .is_some_and(|code| code.starts_with("08") || code.starts_with("57P") || code == "40003")
        }
        _ => false,
    }
}

fn code(error: &sqlx::Error) -> Option<String> {
    error.as_database_error()?.code().map(Cow::into_owned)
}

/// The kind of a failure, and how to repair it.
fn advise(error: &sqlx::Error) -> (ErrorKind, &'static str) {
    match error {
        sqlx::Error::Database(_) => advise_on_code(&code(error).unwrap_or_default()),
        sqlx::Error::Io(_) | sqlx::Error::WorkerCrashed => {
            (ErrorKind::Unavailable, "the connection to PostgreSQL is gone; try again")
        }
        sqlx::Error::Protocol(_) => (
            ErrorKind::Unavailable,
            "the server does not answer as PostgreSQL does: is there a server behind the proxy, and on that port? Try again; behind \
             an old PgBouncer add `pooler=transactions` to the URL",
        ),
        sqlx::Error::Tls(_) => {
            (ErrorKind::Invalid, "no encrypted connection; check `sslmode`, and build with the feature `tls`")
        }
        sqlx::Error::PoolTimedOut => (
            ErrorKind::Unavailable,
            "every connection of the pool is busy; raise `connections_max`, or call less at once",
        ),
        sqlx::Error::PoolClosed => (ErrorKind::Closed, "the pool is closed; open the store again"),
        sqlx::Error::Configuration(_) => {
            (ErrorKind::Invalid, "the connection cannot be set up as asked; check the URL")
        }
        sqlx::Error::ColumnDecode { .. } | sqlx::Error::Decode(_) | sqlx::Error::RowNotFound => {
            (ErrorKind::Corrupt, "a stored value is not one that this library writes; run verify")
        }
        _ => (ErrorKind::Internal, "PostgreSQL was used wrongly, which is a bug"),
    }
}

fn advise_on_code(code: &str) -> (ErrorKind, &'static str) {
    match code {
        SERIALIZATION_FAILURE | DEADLOCK_DETECTED => (
            ErrorKind::Conflict,
            "other transactions kept getting in the way; try again, and keep them short",
        ),
        LOST_RACE | UNIQUE_VIOLATION => {
            (ErrorKind::Conflict, "the ids kept being taken and freed by others; try again")
        }
        "54000" => (
            ErrorKind::Unavailable,
            "a limit of the server is reached, as a rule its queue of notifications is full: a session that listens takes none, \
             such as one of a stopped process; find it in `pg_stat_activity` (`wait_event` is `ClientWrite`, or an old \
             `xact_start`), and end it with `pg_terminate_backend`",
        ),
        "25006" => (
            ErrorKind::Unavailable,
            "the server is read-only, such as a standby; connect to the primary, or to its new address",
        ),
        "57014" => (
            ErrorKind::Unavailable,
            "the statement was cancelled, by `statement_timeout` or by hand; raise the time-out, or send less at once",
        ),
        "55P03" => (ErrorKind::Unavailable, "a lock was not to be had in time; try again"),
        "25P03" => (ErrorKind::Unavailable, "the transaction idled for too long; keep transactions short"),
        "25P02" => (
            ErrorKind::Conflict,
            "an earlier statement of this transaction failed; roll it back and begin anew",
        ),
        "42P01" | "3F000" | "42703" | "42883" => (
            ErrorKind::Unsupported,
            "the store's tables are not there, or not of this version; open it with migrations on, or apply `schema()`",
        ),
        "42501" => (
            ErrorKind::Invalid,
            "this user may not do that; docs/stores/postgres.md has the statements that grant what it needs, under Rights",
        ),
        "53300" => (
            ErrorKind::Unavailable,
            "the server has no connection left; close some, raise `max_connections` there or the limit of this role or database, \
             or open fewer for each process with `connections_max`",
        ),
        "57P03" => (ErrorKind::Unavailable, "the server is starting or stopping; try again"),
        NO_DATABASE => (ErrorKind::Invalid, "there is no such database; create it, or check the URL"),
        "26000" | "08P01" | "42P05" => (
            ErrorKind::Unavailable,
            "the connection does not keep prepared statements; behind PgBouncer add `pooler=transactions` to the URL",
        ),
        _ => advise_on_class(code.get(..2).unwrap_or_default()),
    }
}

fn advise_on_class(class: &str) -> (ErrorKind, &'static str) {
    match class {
        "08" | "57" => (ErrorKind::Unavailable, "the server ended the connection; try again"),
        "28" => (
            ErrorKind::Invalid,
            "the server refused the user; check name and password, and `sslcert` and `sslkey` if it wants a certificate",
        ),
        "53" => (ErrorKind::Unavailable, "the server is short of memory or disk; free some, and try again"),
        "58" | "XX" => {
            (ErrorKind::Corrupt, "the server met an internal error or damaged data; look at its log")
        }
        _ => {
            (ErrorKind::Internal, "PostgreSQL refused a statement; were the queue's tables changed by hand?")
        }
    }
}
