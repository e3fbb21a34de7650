//! Why a retry gave up.

use std::{error::Error, fmt};

/// No try succeeded.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RetryError<E> {
    /// Why there is no further try.
    pub reason: GiveUp,
    /// Tries begun.
    pub attempts: u32,
    /// The last error seen; `None` if the first try was cut off.
    pub last: Option<E>,
}

/// Why there is no further try.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum GiveUp {
    /// The classifier called the error terminal.
    Terminal,
    /// The policy, or the greatest number of attempts, allows no more.
    Exhausted,
    /// The time budget is spent.
    OutOfTime,
    /// The stop token fired.
    Cancelled,
}

impl<E> RetryError<E> {
    pub(super) fn new(reason: GiveUp, attempts: u32, last: Option<E>) -> Self {
        Self { reason, attempts, last }
    }
}

impl<E: fmt::Display> fmt::Display for RetryError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reason = match self.reason {
            GiveUp::Terminal => "no further try can help",
            GiveUp::Exhausted => "no tries are left",
            GiveUp::OutOfTime => "the time budget is spent",
            GiveUp::Cancelled => "it was cancelled",
        };
        write!(f, "gave up after {} tries, since {reason}", self.attempts)?;
        self.last.as_ref().map_or(Ok(()), |last| write!(f, ": {last}"))
    }
}

impl<E: Error> Error for RetryError<E> {}
