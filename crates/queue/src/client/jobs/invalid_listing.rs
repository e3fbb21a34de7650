//! Why a selection of jobs was refused.

use queue_core::{Error, InvalidName};
use queue_view::InvalidFilter;

/// Why a listing was refused, before the store was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidListing {
    /// An invalid kind, tag or worker.
    #[error(transparent)]
    Name(#[from] InvalidName),
    /// A filter that no job can match, or an order for jobs that have their own.
    #[error(transparent)]
    Filter(#[from] InvalidFilter),
    /// A limit of zero.
    #[error("a limit must be at least 1")]
    NoLimit,
}

impl From<InvalidListing> for Error {
    fn from(invalid: InvalidListing) -> Self {
        Self::invalid("list", invalid.to_string()).with_source(invalid)
    }
}
