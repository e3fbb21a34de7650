//! A round that the next may follow before it is over.

use super::Pace;
use std::{fmt, pin::Pin};

/// A round of a [`PacedTick`](super::PacedTick) that the next may follow.
#[must_use = "the rest of a round is dropped with it"]
pub struct Round<'a> {
    pub(super) pace: Pace,
    pub(super) rest: Option<RoundRest<'a>>,
}

/// The rest of a round.
pub(super) type RoundRest<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

impl<'a> Round<'a> {
    /// A round of which nothing is left.
    pub fn whole(pace: Pace) -> Self {
        Self { pace, rest: None }
    }

    /// A round whose rest goes on beside the next. The loop drives the rest to its end, or drops it
    /// when the round, counted from its start, takes longer than the loop allows.
    pub fn with_rest(pace: Pace, rest: impl Future<Output = ()> + Send + 'a) -> Self {
        Self { pace, rest: Some(Box::pin(rest)) }
    }

    /// How the loop is to go on.
    pub fn pace(&self) -> Pace {
        self.pace
    }
}

impl fmt::Debug for Round<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Round").field("pace", &self.pace).field("has_rest", &self.rest.is_some()).finish()
    }
}
