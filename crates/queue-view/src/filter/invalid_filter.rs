//! Why a filter was refused.

use super::UnknownStanding;
use queue_core::{Error, InvalidName};

/// Why a filter was refused, before a store was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidFilter {
    /// The kind, the tag, the worker or the partition is no such name.
    #[error("{part}: {why}")]
    Name {
        /// The part of the filter.
        part: &'static str,
        /// What is wrong with the name.
        #[source]
        why: InvalidName,
    },
    /// No job can stand so.
    #[error("state: {0}")]
    State(#[from] UnknownStanding),
    /// The time is no number of milliseconds.
    #[error("{part}: a store time in milliseconds, not {value:?}")]
    Time {
        /// The part of the filter.
        part: &'static str,
        /// What was given.
        value: String,
    },
    /// A filter has no such part.
    #[error("a filter has no part {0:?}")]
    Part(String),
    /// The part is given twice. A filter has many states, and one of everything else.
    #[error("{0} is given twice")]
    Repeated(&'static str),
    /// No id is as long as the beginning of one that was asked for.
    #[error("id_prefix: an id has at most {} bytes", queue_core::NAME_BYTES_MAX)]
    Prefix,
    /// A range of time that ends before it begins.
    #[error("`until` must be later than `since`")]
    NoTime,
    /// A worker together with a state of jobs that no worker holds.
    #[error("a worker holds processing jobs alone; leave the other states out")]
    NotHeld,
    /// An order for due, scheduled or lapsed jobs, which are listed in the order of their times.
    #[error("due, scheduled and lapsed jobs have an order of their own, and not by age")]
    OwnOrder,
}

impl InvalidFilter {
    /// The part of the filter that is wrong, if one alone is.
    pub const fn part(&self) -> Option<&'static str> {
        match self {
            Self::Name { part, .. } | Self::Time { part, .. } | Self::Repeated(part) => Some(part),
            Self::State(_) => Some("state"),
            Self::Prefix => Some("id_prefix"),
            Self::OwnOrder => Some("order"),
            Self::Part(_) | Self::NoTime | Self::NotHeld => None,
        }
    }
}

impl From<InvalidFilter> for Error {
    fn from(invalid: InvalidFilter) -> Self {
        Self::invalid("filter", invalid.to_string()).with_source(invalid)
    }
}
