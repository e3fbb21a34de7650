//! How a group failed.

use super::BoxError;
use std::{error::Error, fmt};

/// Why a [`Group`](super::Group) did not end well.
#[derive(Debug)]
#[non_exhaustive]
pub enum GroupError {
    /// A member answered an error; the first to do so is named.
    Failed {
        /// Its name.
        member: String,
        /// Its error.
        error: BoxError,
    },
    /// A member panicked.
    Panicked {
        /// Its name.
        member: String,
        /// The message of the panic.
        message: String,
    },
    /// These members had not ended by the stop deadline and were dropped, in the order of adding.
    Overdue {
        /// Their names.
        members: Vec<String>,
    },
}

impl fmt::Display for GroupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed { member, error } => write!(f, "{member} failed: {error}"),
            Self::Panicked { member, message } => write!(f, "{member} panicked: {message}"),
            Self::Overdue { members } => {
                write!(f, "not ended by the stop deadline: {}", members.join(", "))
            }
        }
    }
}

impl Error for GroupError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Failed { error, .. } => error.source(),
            Self::Panicked { .. } | Self::Overdue { .. } => None,
        }
    }
}
