//! Every request and answer of the contract as bytes and back.
//!
//! A type lists its fields in one place, and both directions follow from the list. The list also
//! makes [`Wire::SCHEMA`], a number for the form of the type and of all that it consists of: two
//! builds whose forms differ differ in it, and refuse each other when a handle is opened. So no
//! field needs a name, a length or a version of its own on the wire.
//!
//! Reading trusts nothing: names, headers and tags pass the checks that they pass in a program.
//! [`ITEMS_MAX`] and the length of a message bound what it may make this process hold.

#[macro_use]
mod macros;
mod answers;
mod basics;
mod changes;
mod job;
mod opened;
mod requests;
mod scalars;
mod schema;

pub(crate) use answers::ErrorReport;
pub(crate) use opened::Opened;
pub(crate) use requests::Topic;
pub(crate) use schema::{hash, mix};

use bytes::Bytes;
use queue_core::wire::{Malformed, Reader, Writer};

/// Raised by hand when the same list of fields gets another meaning.
pub(crate) const VERSION: u8 = 1;

/// The most entries that all lists of one message have together. A job of a full call brings 8 tags
/// and 16 headers, and 10,000 jobs fit a call.
pub(crate) const ITEMS_MAX: usize = 1 << 20;

/// A type with a form on the wire.
pub(crate) trait Wire: Sized {
    /// The form of this type, and of everything in it, as one number.
    const SCHEMA: u64;

    fn put(&self, out: &mut Writer);

    fn read(from: &mut Source) -> Result<Self, Malformed>;
}

/// A message that is read, with what it may still bring.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) reader: Reader,
    /// Bytes of the whole message.
    len: usize,
    items_left: usize,
}

impl Source {
    /// Notes an entry of a list. A lie about the length of a list is found before it costs much,
    /// since nothing is reserved for it.
    pub(crate) fn take_item(&mut self) -> Result<(), Malformed> {
        self.items_left = self.items_left.checked_sub(1).ok_or(Malformed("a list is too long"))?;
        Ok(())
    }

    /// A byte string. It shares the memory of the message only if it is most of it: a small payload
    /// that outlives its message must not keep the others in memory.
    pub(crate) fn blob(&mut self) -> Result<Bytes, Malformed> {
        let blob = self.reader.blob()?;
        Ok(if blob.len() >= self.len / 2 { blob } else { Bytes::copy_from_slice(&blob) })
    }
}

/// A value as bytes.
pub(crate) fn encode<T: Wire>(value: &T) -> Bytes {
    let mut out = Writer::new(VERSION);
    value.put(&mut out);
    out.into_bytes().into()
}

/// The value that [`encode`] wrote. No input panics.
pub(crate) fn decode<T: Wire>(bytes: Bytes) -> Result<T, Malformed> {
    let len = bytes.len();
    let (version, reader) = Reader::new(bytes)?;
    if version != VERSION {
        return Err(Malformed("it has another version"));
    }
    let mut source = Source { reader, len, items_left: ITEMS_MAX };
    let value = T::read(&mut source)?;
    source.reader.finish(value)
}

#[cfg(test)]
mod tests;
