//! Errors of encoding and decoding, and the failure of a job whose payload cannot be read.

use queue_core::{ContentType, Error, Failure};
use std::error::Error as StdError;

/// The error of a format, whose type stays hidden.
type Source = Box<dyn StdError + Send + Sync>;

/// The reason why a value did not become bytes, or bytes did not become a value.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CodecError {
    /// The format cannot hold the value.
    #[error("the value cannot be written as {content_type}: {source}")]
    Encode {
        /// The format.
        content_type: ContentType,
        /// The error of the format.
        source: Source,
    },
    /// The bytes do not hold a value of the wanted type.
    #[error("the {content_type} bytes do not hold the expected type: {source}")]
    Decode {
        /// The format.
        content_type: ContentType,
        /// The error of the format.
        source: Source,
    },
    /// The bytes were written by another codec.
    #[error("the bytes are {found}, but the codec in use reads {expected}; use one codec on both sides")]
    ContentType {
        /// The content type that the codec reads.
        expected: ContentType,
        /// The content type that the bytes are marked with.
        found: ContentType,
    },
}

impl CodecError {
    /// Makes the error of a codec whose format cannot hold the value.
    pub fn encode(content_type: ContentType, source: impl Into<Source>) -> Self {
        Self::Encode { content_type, source: source.into() }
    }

    /// The failure of a job whose payload its handler cannot read. The advice comes first, since
    /// stored messages are bounded and a parser's message may be long.
    pub fn undecodable(&self) -> Failure {
        let message = match self {
            Self::ContentType { expected, found } => format!(
                "the payload is marked as {found} and the handler reads {expected}: if it is {expected} all the \
                 same, redrive the job with --content-type {expected} (Queue::redrive_as), else enqueue another in \
                 its place"
            ),
            Self::Decode { content_type, source } => format!(
                "the payload is not what the handler reads: enqueue another in its place, or redrive the job once a \
                 handler reads it; as {content_type}: {source}"
            ),
            Self::Encode { .. } => self.to_string(),
        };
        Failure::new("Undecodable", message)
    }

    /// Makes the error of a codec that cannot read the value from the bytes.
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

#[cfg(test)]
mod tests {
    use super::*;
    use queue_core::FAILURE_MESSAGE_BYTES_MAX;

    const JSON: &str = "application/json";

    #[test]
    fn an_undecodable_payload_says_first_what_to_do() {
        let (expected, found) = (ContentType::from_static(JSON), ContentType::from_static("text/plain"));
        let failure = CodecError::ContentType { expected, found }.undecodable();
        assert!(failure.message().starts_with("the payload is marked as text/plain"), "{failure}");
        assert!(failure.message().contains("--content-type application/json"), "{failure}");
    }

    #[test]
    fn what_to_do_is_told_whatever_the_parser_has_to_say() {
        let endless = "expected something else ".repeat(1_000);
        let failure = CodecError::decode(ContentType::from_static(JSON), endless).undecodable();
        assert!(failure.message().contains("redrive the job once a handler reads it"), "{failure}");
        assert!(failure.message().contains("as application/json: expected"), "{failure}");
        assert!(failure.message().len() <= FAILURE_MESSAGE_BYTES_MAX);
    }
}
