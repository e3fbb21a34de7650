//! The codec for `MessagePack`.

use crate::{Codec, CodecContext, CodecError, DecodeFn};
use bytes::Bytes;
use queue_core::ContentType;
use std::sync::LazyLock;

/// A static, since every job needs it several times.
static CONTENT_TYPE: LazyLock<ContentType> =
    LazyLock::new(|| ContentType::from_static("application/msgpack"));

/// `MessagePack` with named fields, `application/msgpack`. It is smaller than JSON, and holds NaN
/// and raw bytes.
///
/// Fields are written by name, so that a struct may gain and reorder fields, as with JSON.
#[derive(Clone, Copy, Debug, Default)]
pub struct MsgPack;

impl Codec for MsgPack {
    fn content_type(&self) -> ContentType {
        CONTENT_TYPE.clone()
    }

    fn plain(&self, value: &dyn erased_serde::Serialize) -> Result<Bytes, CodecError> {
        let bytes = rmp_serde::to_vec_named(value).map_err(|e| CodecError::encode(self.content_type(), e))?;
        Ok(bytes.into())
    }

    fn write(
        &self,
        value: &dyn erased_serde::Serialize,
        _context: &CodecContext<'_>,
    ) -> Result<Bytes, CodecError> {
        self.plain(value)
    }

    fn read(
        &self,
        bytes: &Bytes,
        _context: &CodecContext<'_>,
        visit: &mut DecodeFn<'_>,
    ) -> Result<(), CodecError> {
        let mut rest = &bytes[..];
        let mut deserializer = rmp_serde::Deserializer::new(&mut rest);
        visit(&mut <dyn erased_serde::Deserializer<'_>>::erase(&mut deserializer))
            .map_err(|e| CodecError::decode(self.content_type(), e))?;
        if rest.is_empty() {
            return Ok(());
        }
        let message = format!("{} bytes follow the value", rest.len());
        Err(CodecError::decode(self.content_type(), message))
    }
}
