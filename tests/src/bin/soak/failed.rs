//! The error type of a run, and the check of a condition that turns into such an error.

use std::error::Error;

/// The reason why a run failed.
pub(crate) type Failed = Box<dyn Error + Send + Sync>;

/// An error with this message, unless the condition holds.
pub(crate) fn require(holds: bool, what_else: impl FnOnce() -> String) -> Result<(), Failed> {
    if holds { Ok(()) } else { Err(what_else().into()) }
}
