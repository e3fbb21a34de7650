//! Brings a file to the schema of this library, also while other processes open it.

use crate::error::SqliteFault;
use queue_core::{Error, ErrorKind};
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use std::path::Path;

/// One step of the schema, for people who run their own migrator: apply the texts in order and
/// record each in `queue_schema` as [`SCHEMA_TABLE`] has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Migration {
    /// Counted up.
    pub version: u32,
    /// What it runs.
    pub sql: &'static str,
}

/// Every migration, in order.
pub const MIGRATIONS: &[Migration] =
    &[Migration { version: 2, sql: include_str!("../sql/0002_initial.sql") }];

/// Where applied migrations are recorded.
pub const SCHEMA_TABLE: &str = include_str!("../sql/schema_table.sql");

const FIND_NAME: &str = include_str!("../sql/find_name.sql");
const FIND_VERSIONS: &str = include_str!("../sql/find_versions.sql");
const LIST_NAMES: &str = include_str!("../sql/list_names.sql");
const LOAD_VERSION: &str = include_str!("../sql/load_version.sql");
const SAVE_VERSION: &str = include_str!("../sql/save_version.sql");

/// Why a file was not migrated.
#[derive(Debug)]
pub(crate) enum MigrationRefusal {
    /// A statement failed.
    Sqlite(rusqlite::Error),
    /// The file is fine, but not for this library.
    Schema(ErrorKind, String),
}

impl MigrationRefusal {
    /// For the caller of `open`.
    pub(crate) fn of(self, path: &Path) -> Error {
        match self {
            Self::Sqlite(error) => SqliteFault::new(path, error).of("open"),
            Self::Schema(kind, message) => {
                Error::new(kind, "open", format!("{message} ({})", path.display()))
            }
        }
    }

    fn foreign(kind: &str, name: &str) -> Self {
        let message =
            format!("the file has a {kind} {name} that this library did not make; use another file");
        Self::Schema(ErrorKind::Invalid, message)
    }
}

impl From<rusqlite::Error> for MigrationRefusal {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

/// Applies what is missing, in one transaction. A file that is up to date is only read.
pub(crate) fn migrate(connection: &mut Connection) -> Result<(), MigrationRefusal> {
    if check(connection)? == newest() {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let present = check(&transaction)?;
    if present == 0 {
        begin_schema(&transaction)?;
    }
    for migration in MIGRATIONS.iter().filter(|migration| migration.version > present) {
        transaction.execute_batch(migration.sql)?;
        transaction.execute(SAVE_VERSION, params![migration.version])?;
    }
    Ok(transaction.commit()?)
}

/// Refuses a file without our tables, and leaves it as it is.
pub(crate) fn expect_tables(connection: &Connection) -> Result<(), MigrationRefusal> {
    if check(connection)? > 0 {
        return Ok(());
    }
    let message = "the file holds no queue, and none was to be made; check the path";
    Err(MigrationRefusal::Schema(ErrorKind::Invalid, message.to_owned()))
}

/// The version of the file, 0 for one without our tables. A table of that name with other columns
/// is not ours.
pub(crate) fn version(connection: &Connection) -> rusqlite::Result<u32> {
    let columns: i64 = connection.query_row(FIND_VERSIONS, [], |row| row.get(0))?;
    if columns == 2 { connection.query_row(LOAD_VERSION, [], |row| row.get(0)) } else { Ok(0) }
}

/// The version that this library makes and reads.
pub(crate) fn newest() -> u32 {
    MIGRATIONS.last().map_or(0, |migration| migration.version)
}

/// The oldest version that this library brings up to date.
fn oldest() -> u32 {
    MIGRATIONS.first().map_or(0, |migration| migration.version)
}

fn check(connection: &Connection) -> Result<u32, MigrationRefusal> {
    let present = version(connection)?;
    if (1..oldest()).contains(&present) {
        let message = format!(
            "the file has schema version {present}, of before the first release, and this library reads {}; work its \
             jobs off with the library that wrote it, or use another file",
            oldest()
        );
        return Err(MigrationRefusal::Schema(ErrorKind::Unsupported, message));
    }
    if present <= newest() {
        return Ok(present);
    }
    let message = format!(
        "the file has schema version {present} and this library knows {}; upgrade the library",
        newest()
    );
    Err(MigrationRefusal::Schema(ErrorKind::Unsupported, message))
}

/// Our tables may live beside the tables of an application, but not in place of them.
fn begin_schema(transaction: &Transaction<'_>) -> Result<(), MigrationRefusal> {
    for name in names()? {
        let taken = transaction.query_row(FIND_NAME, [&name], |row| row.get::<_, String>(0)).optional()?;
        if let Some(kind) = taken {
            return Err(MigrationRefusal::foreign(&kind, &name));
        }
    }
    Ok(transaction.execute_batch(SCHEMA_TABLE)?)
}

/// The names of all that we make.
fn names() -> rusqlite::Result<Vec<String>> {
    let empty = Connection::open_in_memory()?;
    empty.execute_batch(SCHEMA_TABLE)?;
    MIGRATIONS.iter().try_for_each(|migration| empty.execute_batch(migration.sql))?;
    let mut names = empty.prepare(LIST_NAMES)?;
    names.query_map([], |row| row.get(0))?.collect()
}
