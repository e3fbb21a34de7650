//! Turns many concurrent single calls into few batched ones.

mod batched;
mod coalesced;
mod driver;
mod first_call;
mod gather;
#[cfg(test)]
mod gather_tests;
mod lines;
mod verb;

pub use batched::Batched;
pub use coalesced::Coalesced;
