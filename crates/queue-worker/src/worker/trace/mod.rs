//! What subscribers of `tracing` see of a worker: a span for each attempt, and one for each call
//! that serves many jobs.
//!
//! All of them are roots, since a span of the program that started the worker would have to last as
//! long as the worker. Without a subscriber no field is computed and nothing is allocated.

mod attempt;
mod calls;
#[cfg(feature = "opentelemetry")]
mod opentelemetry;
#[cfg(feature = "opentelemetry")]
mod remote;

pub(super) use attempt::{attempt, ended, ended_without_outcome};
pub(super) use calls::{answered, claim, claimed, heartbeat, settle, stored};

/// The target of all spans and of the events about jobs, so that a filter for the crate finds them
/// wherever their code stands.
pub(crate) const TARGET: &str = "queue_worker";
