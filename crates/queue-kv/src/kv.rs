//! The trait of a driver: the least that a queue needs of an embedded database.

use queue_core::Capabilities;
use std::{error::Error, fmt::Debug, ops::Range, sync::Arc};

/// The error of a database in any form, so that a driver only needs `?`. Callers of the store see
/// it as `Unavailable`; a [`queue_core::Error`] in it keeps its own kind.
pub type KvError = Box<dyn Error + Send + Sync>;

/// A key with its value.
pub type KvEntry = (Vec<u8>, Vec<u8>);

/// A database that maps byte strings to byte strings, ordered by the bytes of the keys. Calls may
/// block: the store makes them on its own threads.
///
/// [`MemoryKv`](crate::MemoryKv) is a driver in fifty lines; `examples/kv-store` has one for an
/// embedded database.
pub trait Kv: Debug + Send + Sync + 'static {
    /// The name, the durability and the reach of the database, and its limits if they are lower
    /// than the defaults of [`Limits`](queue_core::Limits). The store adds its own capabilities.
    fn capabilities(&self) -> Capabilities;

    /// Begins to read. All reads of the transaction see one moment: the commits done by now, and
    /// none done later. Other reads and a write may run at the same time.
    fn begin_read(&self) -> Result<Box<dyn KvRead + '_>, KvError>;

    /// Begins to write. There is one writer at a time: the call waits for another writer in any
    /// process that [`Reach`](queue_core::Reach) admits, and sees all that earlier writers
    /// committed.
    ///
    /// Dropping the transaction undoes everything written with it.
    fn begin_write(&self) -> Result<Box<dyn KvWrite + '_>, KvError>;
}

/// A read transaction, which sees one moment.
pub trait KvRead {
    /// The value of a key.
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, KvError>;

    /// The first entries of a range, in the order of their keys, at most `limit`. The range is
    /// never empty or reversed.
    fn scan(&self, range: Range<&[u8]>, limit: usize) -> Result<Vec<KvEntry>, KvError>;
}

/// The write transaction. Its reads see its own writes.
pub trait KvWrite: KvRead {
    /// Writes a value, replacing an existing one.
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), KvError>;

    /// Removes a key if it exists.
    fn delete(&mut self, key: &[u8]) -> Result<(), KvError>;

    /// Commits all writes, or none. When it returns, they are as durable as
    /// [`Capabilities::durability`] says. After an error, callers get the answer that the outcome
    /// is unknown.
    fn commit(self: Box<Self>) -> Result<(), KvError>;
}

impl<K: Kv + ?Sized> Kv for Arc<K> {
    fn capabilities(&self) -> Capabilities {
        (**self).capabilities()
    }

    fn begin_read(&self) -> Result<Box<dyn KvRead + '_>, KvError> {
        (**self).begin_read()
    }

    fn begin_write(&self) -> Result<Box<dyn KvWrite + '_>, KvError> {
        (**self).begin_write()
    }
}
