//! The error type of a run, and the check that makes such an error of a condition that does not
//! hold.

use std::error::Error;

/// Why a run ended badly.
pub(crate) type Failed = Box<dyn Error + Send + Sync>;

/// An error with what is wrong, unless it holds.
pub(crate) fn require(holds: bool, what_else: impl FnOnce() -> String) -> Result<(), Failed> {
    if holds { Ok(()) } else { Err(what_else().into()) }
}
