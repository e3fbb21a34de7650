//! Compares guards and writes patches: one statement for each route that a batch takes.
//!
//! The statements answer each job as it was before, and
//! [`lifecycle::apply`](queue_core::lifecycle::apply) says what the item did, so the answer cannot
//! differ from the answers of other stores. What a statement left alone did not match its guard; it
//! is read, and the same function says why.

mod amendments;
mod apply_verb;
mod columns;
mod follow;
mod judge;
mod plan;

pub(crate) use apply_verb::{PostgresApply, apply_all};
