//! Opens connections: for writing, with everything checked and migrated, and for reading.

use crate::{
    error::SqliteFault,
    files::OpenFiles,
    lock::{LOCK_RETRY, is_busy, wait_for_lock},
    migrate::{self, MigrationRefusal},
    options::{Create, SqliteOptions, Synchronous},
    prepare::{prepare_file, unusable},
};
use queue_core::{Error, ErrorKind, Result, SystemClock};
use rusqlite::{Connection, OpenFlags, config::DbConfig};
use std::{io, thread};

/// The first version without a bug of WAL resets that could damage a file.
pub(crate) const SQLITE_VERSION_MIN: i32 = 3_051_003;
/// Pages in the log before a commit copies them into the database.
const CHECKPOINT_PAGES: u32 = 4_000;
/// The log is cut back to this size when it starts over, in bytes.
pub(crate) const LOG_BYTES_MAX: u32 = 64 << 20;
/// Page cache of the writer, in KiB. More is not faster: a commit that split pages walks over all
/// of the cache.
const WRITER_CACHE_KIB: i32 = 16 << 10;
/// Page cache of each reader, in KiB.
const READER_CACHE_KIB: i32 = 8 << 10;
/// How often opening is tried while the file is being replaced.
const OPEN_TRIES_MAX: u32 = 5;

/// The connections of one handle, and the files that they are on.
pub(crate) struct Connections {
    pub(crate) writer: Connection,
    pub(crate) readers: Vec<Connection>,
    pub(crate) files: OpenFiles,
}

/// Opens the file for writing, with everything checked and migrated, and so many times for reading.
pub(crate) fn connect(options: &SqliteOptions, readers: usize) -> Result<Connections> {
    for _ in 0..OPEN_TRIES_MAX {
        let found = prepare_file(options)?;
        let writer = connect_writer(options)?;
        let readers: rusqlite::Result<_> = (0..readers).map(|_| connect_reader(options)).collect();
        let readers = readers.map_err(|error| SqliteFault::new(&options.path, error).of("open"))?;
        match OpenFiles::find(&options.path) {
            // The same file before and after is what all of them opened.
            Ok(files) if files.database() == found => return Ok(Connections { writer, readers, files }),
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(unusable(&options.path, error));
            }
            _ => tracing::debug!(path = %options.path.display(), "the file was replaced while it was opened"),
        }
    }
    let message =
        format!("{}: the file was replaced while it was being opened; try again", options.path.display());
    Err(Error::new(ErrorKind::Unavailable, "open", message))
}

/// Opens, checks and migrates the file.
fn connect_writer(options: &SqliteOptions) -> Result<Connection> {
    assert!(rusqlite::version_number() >= SQLITE_VERSION_MIN, "the bundled SQLite is too old");
    let fault = |error| SqliteFault::new(&options.path, error).of("open");
    let mut connection = open(options, OpenFlags::SQLITE_OPEN_READ_WRITE).map_err(fault)?;
    if connection.is_readonly(rusqlite::MAIN_DB).map_err(fault)? {
        let message =
            format!("{} is read-only; the file and its directory must be writable", options.path.display());
        return Err(Error::invalid("open", message));
    }
    let refused = |refused: MigrationRefusal| refused.of(&options.path);
    // This check precedes every write: a file that was named by mistake has to stay as it is.
    if options.create == Create::Never {
        migrate::expect_tables(&connection).map_err(refused)?;
    }
    enter_wal(&connection, options)?;
    configure_writer(&connection, options).map_err(fault)?;
    migrate::migrate(&mut connection).map_err(refused)?;
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
    plan_once(&connection)?;
    Ok(connection)
}

/// SQLite looks at the values of a statement when it plans it, at the bound of a LIMIT above all,
/// and plans it again for each other one: that was four fifths of what a claim of one job took. The
/// plans that we want are those for any value.
pub(crate) fn plan_once(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map(drop)
}

/// Switches to write-ahead logging.
fn enter_wal(connection: &Connection, options: &SqliteOptions) -> Result<()> {
    let fault = |error| SqliteFault::new(&options.path, error).of("open");
    // SQLite waits for one lock of several, or for none at all, so the tries are short and the time
    // is measured here.
    connection.busy_timeout(LOCK_RETRY).map_err(fault)?;
    let mode = wait_for_lock(&SystemClock, options.busy_timeout, || try_wal(connection)).map_err(fault)?;
    connection.busy_timeout(options.busy_timeout).map_err(fault)?;
    if mode == "wal" {
        return Ok(());
    }
    let message = format!(
        "{}: write-ahead logging is not possible here; use a file on a local disk",
        options.path.display()
    );
    Err(Error::new(ErrorKind::Unsupported, "open", message))
}

fn try_wal(connection: &Connection) -> rusqlite::Result<String> {
    let mode = connection.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get(0));
    if mode.as_ref().is_err_and(is_busy) {
        // The system has no signal for a free lock between processes.
        thread::park_timeout(LOCK_RETRY);
    }
    mode
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

#[cfg(test)]
mod tests {
    use super::{Connections, connect};
    use crate::{options::SqliteOptions, sql};
    use rusqlite::{StatementStatus, params};

    #[test]
    fn a_statement_is_planned_once_whatever_its_values_are() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let options = SqliteOptions::new(directory.path().join("jobs.db")).checked().expect("they are valid");
        let Connections { writer, readers, .. } = connect(&options, 1).expect("it opens");
        for connection in readers.iter().chain([&writer]) {
            let mut statement = connection.prepare(sql::READY_JOBS).expect("it prepares");
            for limit in 1..5 {
                let mut rows = statement.query(params![1, limit]).expect("it runs");
                assert!(rows.next().expect("it steps").is_none());
            }
            assert_eq!(statement.get_status(StatementStatus::RePrepare), 0);
        }
    }
}
