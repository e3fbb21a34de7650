use super::{Check, Key, Kv, Outcome, Versioned, Write};
use async_trait::async_trait;
use bytes::Bytes;
use queue_core::{Capabilities, Durability, Error, ErrorKind, Reach, Result};
use redb::{Database, ReadableDatabase, ReadableTable, TableDefinition, WriteTransaction};
use std::{ops::Range, path::Path, sync::Arc};

/// Values beside their versions, which redb does not keep itself.
const ENTRIES: TableDefinition<&[u8], (u64, &[u8])> = TableDefinition::new("entries");
/// The version of the last commit that wrote; one counter for all keys, so that none is used twice.
const VERSION: TableDefinition<(), u64> = TableDefinition::new("version");

/// One file of the embedded database `redb`, which survives a power cut. One process opens it at a time.
///
/// Its calls block, so they run on the blocking pool of the tokio runtime that they are made on.
#[derive(Debug)]
pub struct RedbKv {
    database: Arc<Database>,
}

impl RedbKv {
    /// Opens the file, or makes it.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let database = prepare(path.as_ref()).map_err(|error| unavailable("open", error))?;
        Ok(Self { database: Arc::new(database) })
    }

    async fn blocking<T: Send + 'static>(
        &self,
        operation: &'static str,
        call: impl FnOnce(&Database) -> Result<T, redb::Error> + Send + 'static,
    ) -> Result<T> {
        let database = self.database.clone();
        let called = tokio::task::spawn_blocking(move || call(&database)).await;
        let answer = called.map_err(|error| {
            Error::new(ErrorKind::Internal, operation, "the database call did not return").with_source(error)
        })?;
        answer.map_err(|error| unavailable(operation, error))
    }
}

#[async_trait]
impl Kv for RedbKv {
    fn capabilities(&self) -> Capabilities {
        Capabilities::new("kv-redb", Durability::Power, Reach::Process)
    }

    async fn get(&self, keys: &[Key]) -> Result<Vec<Option<Versioned>>> {
        let keys = keys.to_vec();
        self.blocking("get", move |database| {
            let table = database.begin_read()?.open_table(ENTRIES)?;
            keys.iter()
                .map(|key| Ok(table.get(key.as_slice())?.map(|found| versioned(found.value()))))
                .collect()
        })
        .await
    }

    async fn scan(&self, range: Range<Key>, limit: usize) -> Result<Vec<(Key, Versioned)>> {
        self.blocking("scan", move |database| {
            let table = database.begin_read()?.open_table(ENTRIES)?;
            let found = table.range(range.start.as_slice()..range.end.as_slice())?.take(limit);
            found
                .map(|entry| entry.map(|(key, value)| (key.value().to_vec(), versioned(value.value()))))
                .map(|entry| Ok(entry?))
                .collect()
        })
        .await
    }

    async fn commit(&self, checks: Vec<Check>, writes: Vec<Write>) -> Result<Outcome> {
        let commit = move |database: &Database| {
            if writes.is_empty() {
                return compare(&database.begin_read()?.open_table(ENTRIES)?, &checks);
            }
            let transaction = database.begin_write()?;
            if compare(&transaction.open_table(ENTRIES)?, &checks)? == Outcome::Conflict {
                transaction.abort()?;
                return Ok(Outcome::Conflict);
            }
            write(&transaction, &writes)?;
            transaction.commit()?;
            Ok(Outcome::Done)
        };
        self.blocking("commit", commit).await.map_err(Error::unknown)
    }
}

/// A fresh file lacks its tables, and reading a table that was never written is an error.
fn prepare(path: &Path) -> Result<Database, redb::Error> {
    let database = Database::create(path)?;
    let transaction = database.begin_write()?;
    transaction.open_table(ENTRIES)?;
    transaction.open_table(VERSION)?;
    transaction.commit()?;
    Ok(database)
}

fn compare(
    table: &impl ReadableTable<&'static [u8], (u64, &'static [u8])>,
    checks: &[Check],
) -> Result<Outcome, redb::Error> {
    for check in checks {
        let found = table.get(check.key.as_slice())?.map(|found| found.value().0);
        if found != check.version {
            return Ok(Outcome::Conflict);
        }
    }
    Ok(Outcome::Done)
}

fn write(transaction: &WriteTransaction, writes: &[Write]) -> Result<(), redb::Error> {
    let mut counter = transaction.open_table(VERSION)?;
    let version = counter.get(())?.map_or(0, |last| last.value()) + 1;
    counter.insert((), version)?;
    let mut table = transaction.open_table(ENTRIES)?;
    for Write { key, value } in writes {
        match value {
            Some(value) => drop(table.insert(key.as_slice(), (version, value.as_ref()))?),
            None => drop(table.remove(key.as_slice())?),
        }
    }
    Ok(())
}

fn versioned((version, value): (u64, &[u8])) -> Versioned {
    Versioned { version, value: Bytes::copy_from_slice(value) }
}

fn unavailable(operation: &'static str, error: redb::Error) -> Error {
    Error::new(ErrorKind::Unavailable, operation, format!("the database file failed: {error}"))
        .with_source(error)
}
