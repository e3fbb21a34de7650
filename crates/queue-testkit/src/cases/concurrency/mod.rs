//! Races, each repeated for many rounds, on a runtime of several threads.
//!
//! A round makes its own jobs, starts its tasks together, and checks the outcome once all have
//! ended; whichever task won, the outcome must be one that the contract allows.

pub(crate) mod changes;
pub(super) mod claims;
pub(super) mod dropped;
pub(super) mod enqueues;
pub(super) mod handles;
pub(super) mod hints;
pub(super) mod partitions;
mod race;
pub(super) mod replaces;
pub(super) mod settles;

use race::{race, race_two};

const ROUNDS: usize = 40;
