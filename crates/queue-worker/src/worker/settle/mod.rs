//! Stores outcomes: which of them go together, what becomes of each, and what to do when the store does not take them.

mod applier;
mod batch;
mod settler;

pub(super) use settler::Settler;
