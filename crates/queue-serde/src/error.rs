use queue_core::{ContentType, Error};
use std::error::Error as StdError;

/// The error of a format, whose type stays hidden.
type Source = Box<dyn StdError + Send + Sync>;

/// Why a value did not become bytes, or bytes did not become a value.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CodecError {
    /// The format cannot hold the value.
    #[error("the value cannot be written as {content_type}: {source}")]
    Encode {
        /// The format.
        content_type: ContentType,
        /// What the format says.
        source: Source,
    },
    /// The bytes hold no value of the wanted type.
    #[error("the {content_type} bytes do not hold the expected type: {source}")]
    Decode {
        /// The format.
        content_type: ContentType,
        /// What the format says.
        source: Source,
    },
    /// The bytes were written by another codec.
    #[error("the bytes are {found}, but the codec in use reads {expected}; use one codec on both sides")]
    ContentType {
        /// What the codec reads.
        expected: ContentType,
        /// What the bytes are marked with.
        found: ContentType,
    },
}

impl CodecError {
    /// For codecs: the value does not fit the format.
    pub fn encode(content_type: ContentType, source: impl Into<Source>) -> Self {
        Self::Encode { content_type, source: source.into() }
    }

    /// For codecs: the bytes do not hold the value.
    pub fn decode(content_type: ContentType, source: impl Into<Source>) -> Self {
        Self::Decode { content_type, source: source.into() }
    }
}

impl From<CodecError> for Error {
    fn from(error: CodecError) -> Self {
        let operation = if matches!(error, CodecError::Encode { .. }) { "encode" } else { "decode" };
        Self::invalid(operation, error.to_string()).with_source(error)
    }
}
