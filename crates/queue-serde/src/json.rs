//! The codec for JSON, which is the default.

use crate::{Codec, CodecContext, CodecError, DecodeFn};
use bytes::Bytes;
use queue_core::ContentType;
use std::sync::LazyLock;

/// A static, since every job needs it several times.
static CONTENT_TYPE: LazyLock<ContentType> = LazyLock::new(|| ContentType::from_static("application/json"));

/// Compact JSON, `application/json`. It is the default because people can read it.
///
/// Maps with varying order, such as `HashMap`, give varying bytes: use `BTreeMap` in payloads whose
/// id is derived from their content. JSON has no NaN and no infinity: serde writes both as null.
#[derive(Clone, Copy, Debug, Default)]
pub struct Json;

impl Codec for Json {
    fn content_type(&self) -> ContentType {
        CONTENT_TYPE.clone()
    }

    fn plain(&self, value: &dyn erased_serde::Serialize) -> Result<Bytes, CodecError> {
        let bytes = serde_json::to_vec(value).map_err(|e| CodecError::encode(self.content_type(), e))?;
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
        let mut deserializer = serde_json::Deserializer::from_slice(bytes);
        visit(&mut <dyn erased_serde::Deserializer<'_>>::erase(&mut deserializer))
            .map_err(|e| CodecError::decode(self.content_type(), e))?;
        deserializer.end().map_err(|e| CodecError::decode(self.content_type(), e))
    }
}
