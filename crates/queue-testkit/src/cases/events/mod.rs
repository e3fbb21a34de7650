//! Hints: what a subscriber hears while it is connected.
//!
//! A case waits for a hint that must come, and never for one that must not: hints may be repeated
//! or late. That a hint does not come within the deadline of a trial is the failure.

pub(super) mod listen;
pub(super) mod streams;
pub(super) mod waits;
pub(super) mod wakes;
