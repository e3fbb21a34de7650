//! Encoded bytes and their content type.

use crate::ContentType;
use bytes::Bytes;

/// Encoded bytes and their content type: the input of a job, or its result. Cloning copies no
/// bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payload {
    /// The bytes, which stores do not interpret.
    pub bytes: Bytes,
    /// How to decode them.
    pub content_type: ContentType,
}

impl Payload {
    /// Makes a payload of bytes that are encoded already.
    pub fn new(bytes: impl Into<Bytes>, content_type: ContentType) -> Self {
        Self { bytes: bytes.into(), content_type }
    }
}
