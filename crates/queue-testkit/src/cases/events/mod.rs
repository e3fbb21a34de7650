//! Hints: what a subscriber gets while it is connected.
//!
//! A case waits for a hint that must come, and never for the absence of one: hints may be repeated
//! or late. A hint that does not come within the deadline of the trial is the failure.

pub(super) mod listen;
pub(super) mod streams;
pub(super) mod waits;
pub(super) mod wakes;
