//! Turns many concurrent single calls into few batched ones.

mod batched;
mod claims;
mod coalesced;
mod gather;
#[cfg(test)]
mod gather_tests;
mod lane;
mod verb;

pub use batched::Batched;
pub use coalesced::Coalesced;
