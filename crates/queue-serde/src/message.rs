//! The types that can be a payload or a result: serde types, encoded and decoded with a codec.

use crate::{Codec, CodecContext, CodecError};
use bytes::Bytes;
use queue_core::Payload;
use serde::{Serialize, de::DeserializeOwned};

/// A type that can be given as a payload or a result: every [`Serialize`] type, and
/// [`Raw`](crate::Raw).
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be encoded as a payload or a result",
    note = "derive `serde::Serialize` for it, or use `Raw` for bytes that are encoded already"
)]
pub trait Encode {
    /// Turns the value into marked bytes, written for this job and role.
    ///
    /// # Errors
    /// [`CodecError::Encode`] for a value that the format cannot hold.
    fn encode(&self, codec: &dyn Codec, context: &CodecContext<'_>) -> Result<Payload, CodecError>;

    /// The bytes that ids of content are made of; see [`Codec::plain`].
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    fn plain(&self, codec: &dyn Codec) -> Result<Bytes, CodecError>;
}

/// A type that can be read from a payload or a result: every [`DeserializeOwned`] type, and
/// [`Raw`](crate::Raw).
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be decoded from a payload or a result",
    note = "derive `serde::Deserialize` for it (without borrowed parts), or use `Raw` for the bytes as they are"
)]
pub trait Decode: Sized {
    /// Turns marked bytes, read from this job in this role, into a value.
    ///
    /// # Errors
    /// [`CodecError::ContentType`] for bytes of another codec; [`CodecError::Decode`] for bytes of
    /// another type, and for bytes of another job or role if the codec binds them.
    fn decode(payload: &Payload, codec: &dyn Codec, context: &CodecContext<'_>) -> Result<Self, CodecError>;
}

impl<T: Serialize> Encode for T {
    fn encode(&self, codec: &dyn Codec, context: &CodecContext<'_>) -> Result<Payload, CodecError> {
        Ok(Payload::new(codec.write(&self, context)?, codec.content_type()))
    }

    fn plain(&self, codec: &dyn Codec) -> Result<Bytes, CodecError> {
        codec.plain(&self)
    }
}

impl<T: DeserializeOwned> Decode for T {
    fn decode(payload: &Payload, codec: &dyn Codec, context: &CodecContext<'_>) -> Result<Self, CodecError> {
        let expected = codec.content_type();
        if payload.content_type != expected {
            return Err(CodecError::ContentType { expected, found: payload.content_type.clone() });
        }
        let mut value = None;
        codec.read(&payload.bytes, context, &mut |deserializer| {
            value = Some(erased_serde::deserialize(deserializer)?);
            Ok(())
        })?;
        value.ok_or_else(|| CodecError::decode(expected, "the codec read nothing"))
    }
}
