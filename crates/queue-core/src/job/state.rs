//! The states of a job.

use std::{fmt, str::FromStr};

/// The state of a job. A delayed job is Queued with `run_at` in the future.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    /// Waiting for its first attempt, or released.
    Queued,
    /// Leased by a worker.
    Processing,
    /// Waiting to run again after a failure or a stall.
    Failing,
    /// Done; the result is kept until the purge time.
    Completed,
    /// Given up; the reason says why.
    Failed,
    /// Cancelled, or expired, before it completed.
    Cancelled,
}

impl State {
    /// Every state, in the order in which stores number them.
    pub const ALL: [Self; 6] =
        [Self::Queued, Self::Processing, Self::Failing, Self::Completed, Self::Failed, Self::Cancelled];

    /// Completed, Failed or Cancelled.
    pub const fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }

    /// Queued or Failing.
    pub const fn is_waiting(self) -> bool {
        matches!(self, Self::Queued | Self::Failing)
    }

    /// The stable number that stores write.
    pub const fn as_code(self) -> u8 {
        self as u8
    }

    /// The state of a stored number.
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code)).copied()
    }

    /// The lower-case name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Processing => "processing",
            Self::Failing => "failing",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// No state has that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no state is called {0:?}; use queued, processing, failing, completed, failed or cancelled")]
pub struct ParseStateError(String);

impl FromStr for State {
    type Err = ParseStateError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|state| state.as_str() == text)
            .ok_or_else(|| ParseStateError(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::State;

    #[test]
    fn codes_and_names_round_trip() {
        for state in State::ALL {
            assert_eq!(State::from_code(state.as_code()), Some(state));
            assert_eq!(state.as_str().parse(), Ok(state));
        }
        assert_eq!(State::from_code(6), None);
    }
}
