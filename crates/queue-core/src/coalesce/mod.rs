//! Turns many concurrent single calls into few batched ones.

mod coalesced;
mod gather;
mod lane;
mod verb;

pub use coalesced::Coalesced;
pub use gather::Gather;
