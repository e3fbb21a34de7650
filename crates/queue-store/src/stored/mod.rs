//! The stored form of a job: records, payloads, headers, attempts, end signals and workers as bytes
//! and back, for stores whose database knows nothing but bytes.
//!
//! ```
//! use queue_core::{ContentType, ErrorKind, Payload};
//! use queue_store::stored;
//!
//! let payload = Payload::new("ada@example.org", ContentType::from_static("text/plain"));
//! let bytes = stored::to_bytes(&payload);
//! assert_eq!(stored::from_bytes::<Payload>(bytes.clone())?, payload);
//!
//! let newer = [&[stored::VERSION + 1], &bytes[1..]].concat();
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
//! - What is agreed about a job and no store reads is in its [terms](queue_core::JobTerms): a new
//!   term changes nothing here.
//! - Any other new field goes to the end and raises the version.
//!
//! Until the first release a program reads the bytes of its own version alone. An older version is
//! an error that says so, and a newer one is an error that asks for an upgrade.

mod gate;
mod job;
mod parts;

pub use job::StoredJob;

use bytes::Bytes;
use queue_core::{
    Attempt, EndSignal, Error, ErrorKind, Headers, Payload, Result, WorkerInfo,
    wire::{Malformed, Reader, Writer},
};

/// The version of the form that this library writes.
pub const VERSION: u8 = 3;

/// What has a stored form.
pub trait Form: sealed::Fields {}

impl Form for StoredJob {}
impl Form for Payload {}
impl Form for Headers {}
impl Form for Vec<Attempt> {}
impl Form for Vec<EndSignal> {}
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
/// `Unsupported` for bytes of another version of this library, and `Corrupt` for anything that no
/// version writes. No input panics, or takes more memory than a few times its own length.
pub fn from_bytes<T: Form>(bytes: impl Into<Bytes>) -> Result<T> {
    let (version, mut from) = Reader::new(bytes.into()).map_err(corrupt)?;
    match version {
        0 => Err(corrupt(Malformed("no version is 0"))),
        older @ ..VERSION => {
            let message = format!(
                "this was written by an older version of the library (form {older}, and this program knows form {VERSION}): \
                 work it off with that version, or begin another store"
            );
            Err(Error::new(ErrorKind::Unsupported, "read", message))
        }
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
