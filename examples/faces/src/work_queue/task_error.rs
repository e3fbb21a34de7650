//! The error of a handler, which says whether another attempt can help.

use std::{error::Error, fmt};

/// Why a handler did not do its task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskError {
    /// Another attempt may help.
    Retryable(String),
    /// No further attempt can help.
    Terminal(String),
}

impl TaskError {
    /// Whether no further attempt can help.
    pub fn is_terminal(&self) -> bool {
        matches!(self, Self::Terminal(_))
    }
}

impl fmt::Display for TaskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Retryable(message) | Self::Terminal(message)) = self;
        f.write_str(message)
    }
}

impl Error for TaskError {}
