//! Races, each for many rounds, on a runtime of several threads.
//!
//! A round makes its own jobs, starts its tasks together, and looks at the outcome once all have
//! ended; whichever won, it must be one of the outcomes that the contract allows.

pub(super) mod claims;
pub(super) mod dropped;
pub(super) mod enqueues;
pub(super) mod handles;
pub(super) mod hints;
mod race;
pub(super) mod replaces;
pub(super) mod settles;

use race::{race, race_two};

const ROUNDS: usize = 40;
