use crate::CodecError;
use bytes::Bytes;
use queue_core::ContentType;
use std::{fmt::Debug, sync::Arc};

/// Reads one value from the deserializer that a codec hands it.
pub type DecodeFn<'a> =
    dyn FnMut(&mut dyn erased_serde::Deserializer<'_>) -> Result<(), erased_serde::Error> + 'a;

/// How values become bytes and back. Object-safe, so that one handle serves every type.
///
/// Programs call [`Encode::encode`](crate::Encode::encode) and [`Decode::decode`](crate::Decode::decode), which also
/// compare the content type.
///
/// # A codec over a codec
/// Compression, encryption or a checksum wraps an inner codec and gives the bytes a content type of its own:
///
/// ```
/// # #[cfg(feature = "json")] {
/// use bytes::Bytes;
/// use queue_core::ContentType;
/// use queue_serde::{Codec, CodecError, Decode, DecodeFn, Encode, Json, erased_serde};
///
/// /// Stores the bytes backwards, in place of something useful.
/// #[derive(Debug)]
/// struct Reversed<C>(C);
///
/// impl<C: Codec> Codec for Reversed<C> {
///     fn content_type(&self) -> ContentType {
///         ContentType::new(format!("{}+reversed", self.0.content_type())).expect("short enough")
///     }
///     fn write(&self, value: &dyn erased_serde::Serialize) -> Result<Bytes, CodecError> {
///         Ok(self.0.write(value)?.iter().rev().copied().collect())
///     }
///     fn read(&self, bytes: &Bytes, visit: &mut DecodeFn<'_>) -> Result<(), CodecError> {
///         self.0.read(&bytes.iter().rev().copied().collect(), visit)
///     }
/// }
///
/// let payload = [1, 2].encode(&Reversed(Json))?;
/// assert_eq!(payload.bytes, b"]2,1["[..]);
/// assert_eq!(Vec::<u8>::decode(&payload, &Reversed(Json))?, [1, 2]);
/// assert!(matches!(Vec::<u8>::decode(&payload, &Json), Err(CodecError::ContentType { .. })));
/// # }
/// # Ok::<(), queue_serde::CodecError>(())
/// ```
pub trait Codec: Debug + Send + Sync + 'static {
    /// What the bytes are marked with. Constant: a codec that changes its format changes this.
    fn content_type(&self) -> ContentType;

    /// Turns a value into bytes. Equal values shall give equal bytes, since ids may be derived from them.
    ///
    /// # Errors
    /// [`CodecError::Encode`] for a value that the format cannot hold, such as a JSON map with keys that are no text.
    fn write(&self, value: &dyn erased_serde::Serialize) -> Result<Bytes, CodecError>;

    /// Has one value read from the bytes, calling `visit` once.
    ///
    /// # Errors
    /// [`CodecError::Decode`] if `visit` fails, or if bytes remain behind the value.
    fn read(&self, bytes: &Bytes, visit: &mut DecodeFn<'_>) -> Result<(), CodecError>;
}

impl<C: Codec + ?Sized> Codec for Arc<C> {
    fn content_type(&self) -> ContentType {
        (**self).content_type()
    }

    fn write(&self, value: &dyn erased_serde::Serialize) -> Result<Bytes, CodecError> {
        (**self).write(value)
    }

    fn read(&self, bytes: &Bytes, visit: &mut DecodeFn<'_>) -> Result<(), CodecError> {
        (**self).read(bytes, visit)
    }
}
