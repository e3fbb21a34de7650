use crate::{Codec, CodecError};
use queue_core::Payload;
use serde::{Serialize, de::DeserializeOwned};

/// What can be given as a payload or a result: every [`Serialize`] type, and [`Raw`](crate::Raw).
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be encoded as a payload or a result",
    note = "derive `serde::Serialize` for it, or use `Raw` for bytes that are encoded already"
)]
pub trait Encode {
    /// Turns the value into marked bytes.
    ///
    /// # Errors
    /// [`CodecError::Encode`] for a value that the format cannot hold.
    fn encode(&self, codec: &dyn Codec) -> Result<Payload, CodecError>;
}

/// What can be taken from a payload or a result: every [`DeserializeOwned`] type, and [`Raw`](crate::Raw).
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be decoded from a payload or a result",
    note = "derive `serde::Deserialize` for it (without borrowed parts), or use `Raw` for the bytes as they are"
)]
pub trait Decode: Sized {
    /// Turns marked bytes into a value.
    ///
    /// # Errors
    /// [`CodecError::ContentType`] for bytes of another codec, [`CodecError::Decode`] for bytes of another type.
    fn decode(payload: &Payload, codec: &dyn Codec) -> Result<Self, CodecError>;
}

impl<T: Serialize> Encode for T {
    fn encode(&self, codec: &dyn Codec) -> Result<Payload, CodecError> {
        Ok(Payload::new(codec.write(&self)?, codec.content_type()))
    }
}

impl<T: DeserializeOwned> Decode for T {
    fn decode(payload: &Payload, codec: &dyn Codec) -> Result<Self, CodecError> {
        let expected = codec.content_type();
        if payload.content_type != expected {
            return Err(CodecError::ContentType { expected, found: payload.content_type.clone() });
        }
        let mut value = None;
        codec.read(&payload.bytes, &mut |deserializer| {
            value = Some(erased_serde::deserialize(deserializer)?);
            Ok(())
        })?;
        value.ok_or_else(|| CodecError::decode(expected, "the codec read nothing"))
    }
}
