//! The stored form of a job: records, payloads, headers, attempts and workers as bytes and back,
//! for stores whose database knows nothing but bytes.
//!
//! ```
//! use queue_core::{ContentType, ErrorKind, Payload};
//! use queue_store::stored;
//!
//! let payload = Payload::new("ada@example.org", ContentType::from_static("text/plain"));
//! let bytes = stored::to_bytes(&payload);
//! assert_eq!(stored::from_bytes::<Payload>(bytes.clone())?, payload);
//!
//! let newer = [&[2], &bytes[1..]].concat();
//! assert_eq!(stored::from_bytes::<Payload>(newer).unwrap_err().kind(), ErrorKind::Unsupported);
//! # Ok::<(), queue_core::Error>(())
//! ```
//!
//! # Format
//! The first byte is the version, [`VERSION`]. After it stand the fields, in a fixed order and
//! without names. Numbers take as many bytes as they need (LEB128, those with a sign in zigzag
//! order), texts and byte strings begin with their length, and one number says which of the
//! optional fields are there.
//!
//! # Rules for changes
//! - A new field goes to the end and raises the version. Bytes of an older version lack it, and it
//!   then has the value that it had before it existed.
//! - No field is removed, moved, or given another meaning.
//!
//! Every program reads the bytes of all versions up to its own. A newer version is an error that
//! asks for an upgrade.

mod job;
mod parts;

pub use job::StoredJob;

use crate::wire::{Malformed, Reader, Writer};
use bytes::Bytes;
use queue_core::{Attempt, Error, ErrorKind, Headers, Payload, Result, WorkerInfo};

/// The version of the form that this library writes.
pub const VERSION: u8 = 1;

/// What has a stored form.
pub trait Form: sealed::Fields {}

impl Form for StoredJob {}
impl Form for Payload {}
impl Form for Headers {}
impl Form for Vec<Attempt> {}
impl Form for WorkerInfo {}

pub(crate) mod sealed {
    use super::{Malformed, Reader, Writer};

    /// The fields behind the version.
    pub trait Fields: Sized {
        fn write(&self, out: &mut Writer);
        fn read(from: &mut Reader) -> Result<Self, Malformed>;
    }
}

/// A value as the newest [`VERSION`] has it.
pub fn to_bytes<T: Form>(value: &T) -> Vec<u8> {
    let mut out = Writer::new(VERSION);
    value.write(&mut out);
    out.into_bytes()
}

/// Reads what [`to_bytes`] wrote. The bytes of a payload share their memory with `bytes`.
///
/// # Errors
/// `Unsupported` for bytes of a newer version of this library, and `Corrupt` for anything that no
/// version writes. No input panics, or takes more memory than a few times its own length.
pub fn from_bytes<T: Form>(bytes: impl Into<Bytes>) -> Result<T> {
    let (version, mut from) = Reader::new(bytes.into()).map_err(corrupt)?;
    match version {
        0 => Err(corrupt(Malformed("no version is 0"))),
        VERSION => T::read(&mut from).and_then(|value| from.finish(value)).map_err(corrupt),
        newer => {
            let message = format!(
                "this was written by a newer version of the library (form {newer}, and this program knows forms up to \
                 {VERSION}): upgrade this program"
            );
            Err(Error::new(ErrorKind::Unsupported, "read", message))
        }
    }
}

fn corrupt(Malformed(why): Malformed) -> Error {
    Error::new(
        ErrorKind::Corrupt,
        "read",
        format!("the stored bytes are none that this library writes: {why}"),
    )
}
