//! Encodes typed payloads and results as bytes, and decodes them.
//!
//! - [`Codec`]: turns values into bytes. [`Json`] is the default; [`MsgPack`] comes with the
//!   feature `msgpack`.
//! - [`Encode`] and [`Decode`]: the types that can be a payload or a result: every serde type, and
//!   [`Raw`] for programs that handle bytes of any content type.
//! - [`CodecContext`]: the job that the bytes belong to and their [`Role`] in it, for codecs that
//!   bind them to it.
//! - [`CodecError`]: the failures; it converts into a [`queue_core::Error`] of kind `Invalid`.
//!
//! The content type is stored with the bytes and compared before they are decoded, so that a worker
//! with another codec fails a job with a clear reason instead of reading noise.
//!
//! ```
//! # #[cfg(feature = "json")] {
//! use queue_core::{JobId, Kind, QueueName};
//! use queue_serde::{CodecContext, Decode, Encode, Json, Role};
//!
//! let (queue, kind, id) = (QueueName::new("people")?, Kind::unnamed(), JobId::new("a")?);
//! let context = CodecContext::new(&queue, &kind, &id, Role::Payload);
//! let payload = ("ada", 42).encode(&Json, &context)?;
//! assert_eq!(payload.bytes, br#"["ada",42]"#[..]);
//! assert_eq!(<(String, u32)>::decode(&payload, &Json, &context)?, ("ada".to_owned(), 42));
//!
//! // Nothing to say is something to store.
//! assert_eq!(().encode(&Json, &context)?.bytes, b"null"[..]);
//! # }
//! # Ok::<(), queue_core::Error>(())
//! ```
//!
//! Absent on purpose: compression and encryption. Either is a codec over a codec; see [`Codec`].

mod codec;
mod context;
mod error;
#[cfg(feature = "json")]
mod json;
mod message;
#[cfg(feature = "msgpack")]
mod msgpack;
mod raw;

pub use codec::{Codec, DecodeFn};
pub use context::{CodecContext, Role};
/// The object-safe view of serde in which [`Codec`] is written.
pub use erased_serde;
pub use error::CodecError;
#[cfg(feature = "json")]
pub use json::Json;
pub use message::{Decode, Encode};
#[cfg(feature = "msgpack")]
pub use msgpack::MsgPack;
pub use raw::Raw;
