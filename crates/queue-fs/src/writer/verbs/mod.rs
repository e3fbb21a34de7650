//! The verbs of the contract, as they run on the thread.

mod change;
mod claim;
mod enqueue;
mod read;
mod upkeep;

pub(crate) use change::{Announce, Apply, PruneSome, SetPaused};
pub(crate) use claim::Claim;
pub(crate) use enqueue::Enqueue;
pub(crate) use read::{Attempts, Count, Get, List, Measure, Queues, Verify, Workers};
pub(crate) use upkeep::{CatchUp, FlushNow};
