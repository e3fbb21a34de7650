//! Opens a memory store by its URL.

use super::StoreUrl;
use parking_lot::Mutex;
use queue_core::{Result, Storage};
use queue_memory::MemoryStorage;
use std::{
    collections::HashMap,
    sync::{Arc, LazyLock},
};

/// The stores that have a name. They live as long as the process, like files, so that a moment
/// without any handle loses nothing.
static NAMED: LazyLock<Mutex<HashMap<String, MemoryStorage>>> = LazyLock::new(Mutex::default);

pub(super) fn open(url: StoreUrl) -> Result<Arc<dyn Storage>> {
    url.no_options()?;
    if url.path.is_empty() {
        return Ok(Arc::new(MemoryStorage::new()));
    }
    let mut named = NAMED.lock();
    Ok(Arc::new(named.entry(url.path).or_default().another_handle()))
}
