//! Why a batch was refused, or cannot be read.

use queue_core::{Error, ErrorKind};

/// Why a batch was refused, or cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BatchSpecError {
    /// A time-out of zero, after which nothing could be added.
    #[error("the time-out of a batch must be longer than zero")]
    NoTime,
    /// What a callback is to get cannot be written as JSON.
    #[error("what a callback of a batch gets cannot be written as JSON: {reason}")]
    Callback {
        /// Why.
        reason: String,
    },
    /// The callbacks are too large for a call of the store.
    #[error("the callbacks of the batch are too large: {reason}")]
    TooLarge {
        /// What the store takes.
        reason: String,
    },
    /// The stored batch is of a newer version.
    #[error("the batch has layout version {version}, which this version of the library cannot read")]
    Newer {
        /// Its version.
        version: u32,
    },
    /// The stored batch cannot be read by this version, and by another it may.
    #[error("the stored batch cannot be read here: {reason}")]
    UnreadableHere {
        /// Why.
        reason: String,
    },
    /// The stored bytes are the batch of no version.
    #[error("the stored batch cannot be read: {reason}")]
    Unreadable {
        /// Why.
        reason: String,
    },
}

impl From<BatchSpecError> for Error {
    fn from(error: BatchSpecError) -> Self {
        let kind = match error {
            BatchSpecError::Newer { .. } | BatchSpecError::UnreadableHere { .. } => ErrorKind::Unsupported,
            BatchSpecError::Unreadable { .. } => ErrorKind::Corrupt,
            _ => ErrorKind::Invalid,
        };
        Self::new(kind, "batch", error.to_string()).with_source(error)
    }
}
