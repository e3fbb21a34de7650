//! Opens connections: for writing, with everything checked and migrated, and for reading.

use crate::{
    error::Fault,
    migrate::{Refused, migrate},
    options::{Create, SqliteOptions, Synchronous},
};
use queue_core::{Error, ErrorKind, Result};
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::{
    fs::{OpenOptions, metadata},
    io,
    path::Path,
    sync::{Mutex, PoisonError},
};

/// The first version without a bug of WAL resets that could damage a file.
const SQLITE_VERSION_MIN: i32 = 3_051_003;
/// Pages in the log before a commit copies them into the database.
const CHECKPOINT_PAGES: u32 = 4_000;
/// The log is cut back to this size when it starts over, in bytes.
const LOG_BYTES_MAX: u32 = 64 << 20;
/// Page cache of the writer, in KiB. More is not faster: a commit that split pages walks over all of the cache.
const WRITER_CACHE_KIB: i32 = 16 << 10;
/// Page cache of each reader, in KiB.
const READER_CACHE_KIB: i32 = 8 << 10;
/// How often switching to the log is tried while other processes open the same new file.
const WAL_TRIES_MAX: u32 = 100;

/// Opens, checks and migrates the file.
pub(crate) fn connect_writer(options: &SqliteOptions) -> Result<Connection> {
    assert!(rusqlite::version_number() >= SQLITE_VERSION_MIN, "the bundled SQLite is too old");
    prepare_file(options)?;
    let fault = |error| Fault::new(&options.path, error).of("open");
    let mut connection = open(options, OpenFlags::SQLITE_OPEN_READ_WRITE).map_err(fault)?;
    if connection.is_readonly(rusqlite::MAIN_DB).map_err(fault)? {
        let message =
            format!("{} is read-only; the file and its directory must be writable", options.path.display());
        return Err(Error::invalid("open", message));
    }
    enter_wal(&connection, &options.path)?;
    configure_writer(&connection, options).map_err(fault)?;
    migrate(&mut connection).map_err(|refused| match refused {
        Refused::Sqlite(error) => fault(error),
        Refused::Schema(kind, message) => {
            Error::new(kind, "open", format!("{message} ({})", options.path.display()))
        }
    })?;
    Ok(connection)
}

/// Opens a connection that cannot write. The writer has been there before.
pub(crate) fn connect_reader(options: &SqliteOptions) -> rusqlite::Result<Connection> {
    let connection = open(options, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    connection.pragma_update(None, "cache_size", -READER_CACHE_KIB)?;
    Ok(connection)
}

fn open(options: &SqliteOptions, mode: OpenFlags) -> rusqlite::Result<Connection> {
    // Each connection belongs to one thread at a time, so SQLite's own locks would be for nothing.
    let connection = Connection::open_with_flags(&options.path, mode | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(options.busy_timeout)?;
    Ok(connection)
}

/// Makes the file before SQLite does, so that nobody else can read it at any moment. SQLite gives the files beside it
/// the same permissions.
///
/// A file that is there is never opened here: closing it again would cost this process all its locks on it, which POSIX keeps by
/// process and file. Another program would then take the file for unused and remove the log that is being written.
fn prepare_file(options: &SqliteOptions) -> Result<()> {
    /// Two threads that open a new file: the one that finds it there must find it closed again.
    static ONE_BY_ONE: Mutex<()> = Mutex::new(());
    let _alone = ONE_BY_ONE.lock().unwrap_or_else(PoisonError::into_inner);
    match options.create {
        Create::IfMissing => make_file(&options.path),
        Create::Never => find_file(&options.path),
    }
    .map_err(|error| unusable(&options.path, error))
}

fn make_file(path: &Path) -> io::Result<()> {
    let mut open = OpenOptions::new();
    open.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut open, 0o600);
    match open.open(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

fn find_file(path: &Path) -> io::Result<()> {
    if metadata(path)?.is_dir() { Err(io::ErrorKind::IsADirectory.into()) } else { Ok(()) }
}

fn unusable(path: &Path, error: io::Error) -> Error {
    let advice = match error.kind() {
        io::ErrorKind::NotFound => "it does not exist; check the path, and make its directory first",
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "the file and its directory must be writable; change their permissions"
        }
        io::ErrorKind::IsADirectory => "it is a directory; name a file in it",
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            let message = format!("{}: the disk is full; free some space", path.display());
            return Error::new(ErrorKind::Unavailable, "open", message).with_source(error);
        }
        _ => "it cannot be opened",
    };
    Error::invalid("open", format!("{}: {advice}", path.display())).with_source(error)
}

/// Switches to write-ahead logging. When several processes open a new file at once SQLite answers busy without waiting,
/// so each try waits for the write lock first.
fn enter_wal(connection: &Connection, path: &Path) -> Result<()> {
    let fault = |error| Fault::new(path, error).of("open");
    let mut answer = try_wal(connection);
    for _ in 1..WAL_TRIES_MAX {
        let is_busy = |error: &rusqlite::Error| error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy);
        if !answer.as_ref().is_err_and(is_busy) {
            break;
        }
        connection.execute_batch("BEGIN IMMEDIATE; ROLLBACK").map_err(fault)?;
        answer = try_wal(connection);
    }
    let mode = answer.map_err(fault)?;
    if mode == "wal" {
        return Ok(());
    }
    let message =
        format!("{}: write-ahead logging is not possible here; use a file on a local disk", path.display());
    Err(Error::new(ErrorKind::Unsupported, "open", message))
}

fn try_wal(connection: &Connection) -> rusqlite::Result<String> {
    connection.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get(0))
}

fn configure_writer(connection: &Connection, options: &SqliteOptions) -> rusqlite::Result<()> {
    let synchronous = match options.synchronous {
        Synchronous::Full => "full",
        Synchronous::Normal => "normal",
    };
    connection.pragma_update(None, "synchronous", synchronous)?;
    connection.pragma_update(None, "cache_size", -WRITER_CACHE_KIB)?;
    connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
    connection.pragma_update(None, "journal_size_limit", LOG_BYTES_MAX)?;
    connection.pragma_update(None, "temp_store", "memory")?;
    options.pages_max.map_or(Ok(()), |pages| connection.pragma_update(None, "max_page_count", pages))
}
