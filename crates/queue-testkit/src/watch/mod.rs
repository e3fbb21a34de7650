//! Tracks the calls of a case that have no answer yet, so that a case that hangs can name them.

mod deadline;
mod open_calls;
mod watched_harness;
mod watched_store;

pub(crate) use deadline::Deadline;
pub(crate) use open_calls::OpenCalls;
pub(crate) use watched_harness::WatchedHarness;
