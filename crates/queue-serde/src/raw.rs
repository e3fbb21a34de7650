use crate::{Codec, CodecError, Decode, Encode};
use queue_core::Payload;

/// Bytes with their content type, as they are stored: no codec touches them.
///
/// For programs that pass jobs on without knowing their types: `Queue<Raw, Raw>`.
///
/// ```
/// # #[cfg(feature = "json")] {
/// use queue_core::{ContentType, Payload};
/// use queue_serde::{Decode, Encode, Json, Raw};
///
/// let text = Payload::new("hello", ContentType::from_static("text/plain"));
/// assert_eq!(Raw(text.clone()).encode(&Json)?, text);
/// assert_eq!(Raw::decode(&text, &Json)?, Raw(text));
/// # }
/// # Ok::<(), queue_serde::CodecError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raw(pub Payload);

// Raw must never implement Serialize: its impls below stand beside the blanket ones.
impl Encode for Raw {
    fn encode(&self, _codec: &dyn Codec) -> Result<Payload, CodecError> {
        Ok(self.0.clone())
    }
}

impl Decode for Raw {
    fn decode(payload: &Payload, _codec: &dyn Codec) -> Result<Self, CodecError> {
        Ok(Self(payload.clone()))
    }
}
