//! Why an item is not done.

use std::{fmt, time::Duration};

/// Why an item is not done.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ItemError<E> {
    /// The handler said so.
    Failed(E),
    /// The handler panicked, with this message.
    Panicked(String),
    /// The handler did not end within its time budget and was dropped.
    TimedOut(Duration),
}

/// Whether another attempt may help.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Finality {
    /// Try again, if the sink's own budget allows.
    Retryable,
    /// Never again.
    Terminal,
}

impl<E: fmt::Display> fmt::Display for ItemError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(error) => error.fmt(f),
            Self::Panicked(message) => write!(f, "the handler panicked: {message}"),
            Self::TimedOut(budget) => write!(f, "the handler took longer than {budget:?}"),
        }
    }
}

impl<E: std::error::Error + 'static> std::error::Error for ItemError<E> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Failed(error) => error.source(),
            Self::Panicked(_) | Self::TimedOut(_) => None,
        }
    }
}
