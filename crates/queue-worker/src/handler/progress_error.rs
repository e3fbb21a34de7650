//! Why a report of progress was refused.

use queue_serde::CodecError;
use std::{error::Error, fmt};

/// Why a report of progress was refused. With `?` it fails the attempt. A handler for which
/// progress does not matter ignores it.
#[derive(Debug)]
#[non_exhaustive]
pub enum ProgressError {
    /// The report has more bytes than the store takes.
    TooLarge {
        /// How many bytes it has, encoded.
        bytes: usize,
        /// How many bytes it may have.
        most: usize,
    },
    /// The format of the job cannot hold the value.
    Encode(CodecError),
}

impl fmt::Display for ProgressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge { bytes, most } => {
                write!(f, "a progress report has at most {most} bytes, this one has {bytes}")
            }
            Self::Encode(_) => f.write_str("the progress report cannot be encoded"),
        }
    }
}

impl Error for ProgressError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::TooLarge { .. } => None,
            Self::Encode(error) => Some(error),
        }
    }
}

impl From<CodecError> for ProgressError {
    fn from(error: CodecError) -> Self {
        Self::Encode(error)
    }
}
