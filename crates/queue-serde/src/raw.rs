//! Payloads and results as stored bytes, without a codec.

use crate::{Codec, CodecContext, CodecError, Decode, Encode};
use bytes::Bytes;
use queue_core::Payload;

/// Bytes with their content type, exactly as they are stored.
///
/// It is for programs that pass jobs on without knowing their types: `Queue<Raw, Raw>`. Bytes of a
/// codec that [binds them to their job](Codec#bytes-that-belong-to-one-job) can be read and given
/// back in this way, but cannot be read as another job's.
///
/// ```
/// # #[cfg(feature = "json")] {
/// use queue_core::{ContentType, JobId, Kind, Payload, QueueName};
/// use queue_serde::{CodecContext, Decode, Encode, Json, Raw, Role};
///
/// let (queue, kind, id) = (QueueName::new("texts")?, Kind::unnamed(), JobId::new("a")?);
/// let context = CodecContext::new(&queue, &kind, &id, Role::Payload);
/// let text = Payload::new("hello", ContentType::from_static("text/plain"));
/// assert_eq!(Raw(text.clone()).encode(&Json, &context)?, text);
/// assert_eq!(Raw::decode(&text, &Json, &context)?, Raw(text));
/// # }
/// # Ok::<(), queue_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raw(pub Payload);

// Raw must never implement Serialize: its impls below would overlap with the blanket ones.
impl Encode for Raw {
    fn encode(&self, _codec: &dyn Codec, _context: &CodecContext<'_>) -> Result<Payload, CodecError> {
        Ok(self.0.clone())
    }

    fn plain(&self, _codec: &dyn Codec) -> Result<Bytes, CodecError> {
        Ok(self.0.bytes.clone())
    }
}

impl Decode for Raw {
    fn decode(
        payload: &Payload,
        _codec: &dyn Codec,
        _context: &CodecContext<'_>,
    ) -> Result<Self, CodecError> {
        Ok(Self(payload.clone()))
    }
}
