//! What a driver writes: the least that a queue needs of an embedded database.

use queue_core::Capabilities;
use std::{error::Error, fmt::Debug, ops::Range, sync::Arc};

/// Why a database failed, in whatever form its driver has it, so that `?` is all that a driver does
/// about errors. Callers of the store see it as `Unavailable`; a [`queue_core::Error`] in here
/// keeps its own kind.
pub type KvError = Box<dyn Error + Send + Sync>;

/// A key with its value.
pub type KvEntry = (Vec<u8>, Vec<u8>);

/// A database of byte strings under byte strings, ordered by the bytes of the keys. Calls may
/// block: the store makes them on threads of its own.
///
/// [`MemoryKv`](crate::MemoryKv) is a driver in fifty lines, `examples/kv-store` has one on an
/// embedded database.
pub trait Kv: Debug + Send + Sync + 'static {
    /// The name, the durability and the reach of the database, and limits if they are lower than
    /// the defaults of [`Limits`](queue_core::Limits). The store adds what it can do itself.
    fn capabilities(&self) -> Capabilities;

    /// Begins to read. Every read of the answer sees the same moment: the commits that were done by
    /// now, and none that is done later. Other reads and a write may go on beside it.
    fn begin_read(&self) -> Result<Box<dyn KvRead + '_>, KvError>;

    /// Begins to write. There is one writer at a time: this waits while there is another, in any
    /// process that [`Reach`](queue_core::Reach) admits, and sees all that earlier writers
    /// committed.
    ///
    /// Dropping the answer takes everything back that was written with it.
    fn begin_write(&self) -> Result<Box<dyn KvWrite + '_>, KvError>;
}

/// Reads of one moment.
pub trait KvRead {
    /// The value of a key.
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, KvError>;

    /// The first entries of a range, in the order of their keys, at most `limit`. The range is
    /// never empty or reversed.
    fn scan(&self, range: Range<&[u8]>, limit: usize) -> Result<Vec<KvEntry>, KvError>;
}

/// The one writer. Its reads see what it wrote itself.
pub trait KvWrite: KvRead {
    /// Writes a value, in place of the one that was there.
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), KvError>;

    /// Removes a key, if it is there.
    fn delete(&mut self, key: &[u8]) -> Result<(), KvError>;

    /// Does everything that was written, or nothing. When it answers, what was written is as
    /// durable as [`Capabilities::durability`] says. After an error callers are told that nobody
    /// knows whether it was done.
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
