//! Merging concurrent calls: what reaches the store, and what each caller is answered.

mod claims;
mod lanes;
mod merging;
mod recorder;
mod refusals;
mod setup;
