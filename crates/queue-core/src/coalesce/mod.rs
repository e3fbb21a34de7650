//! Turns many concurrent single calls into few batched ones.

mod coalesced;
mod lane;
mod verb;

pub use coalesced::Coalesced;
