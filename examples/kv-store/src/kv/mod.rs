//! What is asked of a key-value store, and two that give it.

mod kv_trait;
mod memory;
mod redb;

pub use self::redb::RedbKv;
pub use kv_trait::{Check, Key, Kv, Outcome, Versioned, Write};
pub use memory::MemoryKv;
