//! Every state, event and boundary, compared record by record with the lifecycle.
//!
//! A scene brings jobs of several shapes to a state, through the verbs of the store. Then every
//! event is decided on every version of the job that a caller may have read, under every token that
//! was ever given, a millisecond before, at and after each moment that matters. The answer, the
//! whole record, the answer to a repeat, and the claim that follows must be what
//! [`lifecycle`](queue_core::lifecycle) makes of a twin kept beside the job.
//!
//! Scenes of gates and of partitions have shapes and deeds of their own, so that the others take no
//! longer for them.
//!
//! Absent on purpose: tests of the lifecycle itself, which the core's own tables cover.

mod deed;
mod gates;
mod group;
mod partitions;
mod rows;
mod scene;
mod scenes;
mod shape;

pub(crate) use scenes::{CASES, GATE_CASES, PARTITION_CASES};
