//! Turns many concurrent single calls into few batched ones.

mod batch_verbs;
mod coalesced;
mod driver;
mod first_call;
mod line_key;
mod lines;
mod merged_reads;
#[cfg(test)]
mod merged_reads_tests;
mod merged_verb;

pub use batch_verbs::BatchVerbs;
pub use coalesced::Coalesced;
