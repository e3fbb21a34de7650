//! The driver.

use queue_core::{Capabilities, Durability, Reach};
use queue_kv::{Kv, KvEntry, KvError, KvRead, KvWrite};
use redb::{Database, ReadOnlyTable, ReadableDatabase, ReadableTable, TableDefinition, WriteTransaction};
use std::{ops::Range, path::Path};

const ENTRIES: TableDefinition<&[u8], &[u8]> = TableDefinition::new("entries");

/// One file of `redb`, which survives a power cut. One process opens it at a time, once.
#[derive(Debug)]
pub struct RedbKv(Database);

impl RedbKv {
    /// Opens the file, or makes it. This blocks.
    ///
    /// # Errors
    /// The errors of the database, as where another process has the file open.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, KvError> {
        let database = Database::create(path)?;
        // Reading a table that was never written is an error.
        let transaction = database.begin_write()?;
        transaction.open_table(ENTRIES)?;
        transaction.commit()?;
        Ok(Self(database))
    }
}

impl Kv for RedbKv {
    fn capabilities(&self) -> Capabilities {
        Capabilities::new("redb", Durability::Power, Reach::Process)
    }

    fn begin_read(&self) -> Result<Box<dyn KvRead + '_>, KvError> {
        Ok(Box::new(RedbRead(self.0.begin_read()?.open_table(ENTRIES)?)))
    }

    fn begin_write(&self) -> Result<Box<dyn KvWrite + '_>, KvError> {
        Ok(Box::new(RedbWrite(self.0.begin_write()?)))
    }
}

struct RedbRead(ReadOnlyTable<&'static [u8], &'static [u8]>);

/// The table is opened for each call, since it borrows from the transaction: it is a look into a
/// map.
struct RedbWrite(WriteTransaction);

impl KvRead for RedbRead {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, KvError> {
        get(&self.0, key)
    }

    fn scan(&self, range: Range<&[u8]>, limit: usize) -> Result<Vec<KvEntry>, KvError> {
        scan(&self.0, range, limit)
    }
}

impl KvRead for RedbWrite {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, KvError> {
        get(&self.0.open_table(ENTRIES)?, key)
    }

    fn scan(&self, range: Range<&[u8]>, limit: usize) -> Result<Vec<KvEntry>, KvError> {
        scan(&self.0.open_table(ENTRIES)?, range, limit)
    }
}

impl KvWrite for RedbWrite {
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), KvError> {
        self.0.open_table(ENTRIES)?.insert(key, value)?;
        Ok(())
    }

    fn delete(&mut self, key: &[u8]) -> Result<(), KvError> {
        self.0.open_table(ENTRIES)?.remove(key)?;
        Ok(())
    }

    fn commit(self: Box<Self>) -> Result<(), KvError> {
        Ok(self.0.commit()?)
    }
}

fn get(
    table: &impl ReadableTable<&'static [u8], &'static [u8]>,
    key: &[u8],
) -> Result<Option<Vec<u8>>, KvError> {
    Ok(table.get(key)?.map(|found| found.value().to_vec()))
}

fn scan(
    table: &impl ReadableTable<&'static [u8], &'static [u8]>,
    range: Range<&[u8]>,
    limit: usize,
) -> Result<Vec<KvEntry>, KvError> {
    let mut entries = Vec::new();
    for entry in table.range(range)?.take(limit) {
        let (key, value) = entry?;
        entries.push((key.value().to_vec(), value.value().to_vec()));
    }
    Ok(entries)
}
