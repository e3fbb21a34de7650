//! Merging concurrent calls: what reaches the store, and what each caller is answered.

mod claims;
mod drops;
mod lines;
mod merging;
mod recorder;
mod refusals;
mod runtimes;
mod setup;
