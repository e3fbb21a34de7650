//! Every state, event and boundary, compared record by record with the lifecycle.
//!
//! A scene brings jobs of several shapes to where they stand, through the verbs of the store. Then
//! every event is decided on every sight that somebody may have had of the job, under every token
//! that was ever given, a millisecond before, at and after each moment that matters; and the
//! answer, the whole record, the same sent once more, and the claim that follows must be what
//! [`lifecycle`](queue_core::lifecycle) makes of a twin kept beside it.
//!
//! Absent on purpose: judging the lifecycle itself, which the core's own tables do.

mod deed;
mod group;
mod rows;
mod scene;
mod scenes;
mod shape;

pub(crate) use scenes::CASES;
