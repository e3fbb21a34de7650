//! Checks lengths of time in options.

use crate::{InvalidOption, Keep};
use queue_core::{Retention, Span};
use std::time::Duration;

/// The retention that a store writes.
pub(crate) fn retention(keep: Keep) -> Result<Retention, InvalidOption> {
    if let Keep::For(ttl) = keep {
        positive_span("a time to live", ttl)?;
    }
    Ok(keep.into())
}

/// Checks a length of time that must be longer than zero.
pub(crate) fn positive_span(what: &'static str, given: Duration) -> Result<Span, InvalidOption> {
    if given.is_zero() { Err(InvalidOption::NotPositive { what }) } else { checked_span(what, given) }
}

/// Checks a length of time that may be zero.
pub(crate) fn checked_span(what: &'static str, given: Duration) -> Result<Span, InvalidOption> {
    Span::new(what, given).map_err(|_| InvalidOption::TooLong { what, given })
}
