//! Why a selection of jobs was refused.

use queue_core::{Error, InvalidName};

/// Why a listing was refused, before the store was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidListing {
    /// An invalid kind, tag or worker.
    #[error(transparent)]
    Name(#[from] InvalidName),
    /// Due and scheduled jobs have indexes of their own, so they cannot be combined with other
    /// states.
    #[error("due and scheduled jobs are a listing each; ask for one of them, without states")]
    Alone,
    /// An order for due or scheduled jobs, which always come in the order of claims.
    #[error("due and scheduled jobs come in the order in which they are claimed, not by age")]
    OrderOfClaims,
    /// A worker together with another state than Processing: a worker holds only such jobs.
    #[error("a worker holds processing jobs alone; leave the other states out")]
    NotHeld,
    /// A range of time that ends before it begins.
    #[error("`until` must be later than `since`")]
    NoTime,
    /// A limit of zero.
    #[error("a limit must be at least 1")]
    NoLimit,
}

impl From<InvalidListing> for Error {
    fn from(invalid: InvalidListing) -> Self {
        Self::invalid("list", invalid.to_string()).with_source(invalid)
    }
}
