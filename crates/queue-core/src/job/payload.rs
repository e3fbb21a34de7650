use crate::ContentType;
use bytes::Bytes;

/// Encoded bytes and how they are encoded: the input of a job, or its result. Cloning copies no bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payload {
    /// The bytes, which no store looks into.
    pub bytes: Bytes,
    /// How to decode them.
    pub content_type: ContentType,
}

impl Payload {
    /// Takes the bytes as they are.
    pub fn new(bytes: impl Into<Bytes>, content_type: ContentType) -> Self {
        Self { bytes: bytes.into(), content_type }
    }
}
