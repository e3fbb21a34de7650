//! Stores outcomes: which of them share a call, how each ends, and what to do when the store does
//! not take them.
//!
//! In come settlements, from `attempt`. Out goes a call of the store for each batch, and an event
//! for each outcome once it is durable. Then `hold` lets the job go, and its slot is free for
//! `claim`.

mod applier;
mod orphans;
mod settle_batch;
mod settlement;
mod settler;

pub(super) use settlement::Settlement;
pub(super) use settler::Settler;
