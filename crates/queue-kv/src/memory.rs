//! A driver without a database, for tests and as the shortest example.

use crate::{Kv, KvEntry, KvError, KvRead, KvWrite};
use parking_lot::{RwLock, RwLockReadGuard, RwLockWriteGuard};
use queue_core::{Capabilities, Durability, Reach};
use std::{collections::BTreeMap, ops::Range};

type Entries = BTreeMap<Vec<u8>, Vec<u8>>;

/// A map in memory. Readers and the writer exclude each other.
#[derive(Debug, Default)]
pub struct MemoryKv(RwLock<Entries>);

impl Kv for MemoryKv {
    fn capabilities(&self) -> Capabilities {
        Capabilities::new("kv-memory", Durability::None, Reach::Process)
    }

    fn begin_read(&self) -> Result<Box<dyn KvRead + '_>, KvError> {
        Ok(Box::new(MemoryRead(self.0.read())))
    }

    fn begin_write(&self) -> Result<Box<dyn KvWrite + '_>, KvError> {
        let entries = self.0.write();
        Ok(Box::new(MemoryWrite { entries, before: Vec::new() }))
    }
}

struct MemoryRead<'a>(RwLockReadGuard<'a, Entries>);

struct MemoryWrite<'a> {
    entries: RwLockWriteGuard<'a, Entries>,
    /// The previous values of the written keys, in order.
    before: Vec<(Vec<u8>, Option<Vec<u8>>)>,
}

impl KvRead for MemoryRead<'_> {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, KvError> {
        Ok(self.0.get(key).cloned())
    }

    fn scan(&self, range: Range<&[u8]>, limit: usize) -> Result<Vec<KvEntry>, KvError> {
        Ok(scan(&self.0, range, limit))
    }
}

impl KvRead for MemoryWrite<'_> {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, KvError> {
        Ok(self.entries.get(key).cloned())
    }

    fn scan(&self, range: Range<&[u8]>, limit: usize) -> Result<Vec<KvEntry>, KvError> {
        Ok(scan(&self.entries, range, limit))
    }
}

impl KvWrite for MemoryWrite<'_> {
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), KvError> {
        let before = self.entries.insert(key.to_vec(), value.to_vec());
        self.before.push((key.to_vec(), before));
        Ok(())
    }

    fn delete(&mut self, key: &[u8]) -> Result<(), KvError> {
        let before = self.entries.remove(key);
        self.before.push((key.to_vec(), before));
        Ok(())
    }

    fn commit(mut self: Box<Self>) -> Result<(), KvError> {
        self.before.clear();
        Ok(())
    }
}

/// Undoes writes that were not committed.
impl Drop for MemoryWrite<'_> {
    fn drop(&mut self) {
        while let Some((key, before)) = self.before.pop() {
            match before {
                Some(value) => self.entries.insert(key, value),
                None => self.entries.remove(&key),
            };
        }
    }
}

fn scan(entries: &Entries, range: Range<&[u8]>, limit: usize) -> Vec<KvEntry> {
    let found = entries
        .range::<[u8], _>((std::ops::Bound::Included(range.start), std::ops::Bound::Excluded(range.end)));
    found.take(limit).map(|(key, value)| (key.clone(), value.clone())).collect()
}
