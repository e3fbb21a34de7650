use super::{Check, Key, Kv, Outcome, Versioned, Write};
use async_trait::async_trait;
use parking_lot::{Mutex, MutexGuard};
use queue_core::{Capabilities, Durability, Reach, Result};
use std::{collections::BTreeMap, ops::Range};

/// A map in memory. The whole driver: it shows what the trait means.
#[derive(Debug, Default)]
pub struct MemoryKv {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    entries: BTreeMap<Key, Versioned>,
    /// The version of the last commit that wrote; one counter for all keys, so that none is used twice.
    version: u64,
}

impl MemoryKv {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

#[async_trait]
impl Kv for MemoryKv {
    fn capabilities(&self) -> Capabilities {
        Capabilities::new("kv-memory", Durability::None, Reach::Process)
    }

    async fn get(&self, keys: &[Key]) -> Result<Vec<Option<Versioned>>> {
        let state = self.lock();
        Ok(keys.iter().map(|key| state.entries.get(key).cloned()).collect())
    }

    async fn scan(&self, range: Range<Key>, limit: usize) -> Result<Vec<(Key, Versioned)>> {
        let state = self.lock();
        let found = if range.is_empty() { None } else { Some(state.entries.range(range)) };
        Ok(found.into_iter().flatten().take(limit).map(|(key, found)| (key.clone(), found.clone())).collect())
    }

    async fn commit(&self, checks: Vec<Check>, writes: Vec<Write>) -> Result<Outcome> {
        let mut state = self.lock();
        let holds = |check: &Check| state.entries.get(&check.key).map(|found| found.version) == check.version;
        if !checks.iter().all(holds) {
            return Ok(Outcome::Conflict);
        }
        state.version += 1;
        let version = state.version;
        for Write { key, value } in writes {
            match value {
                Some(value) => state.entries.insert(key, Versioned { version, value }),
                None => state.entries.remove(&key),
            };
        }
        Ok(Outcome::Done)
    }
}
