use crate::{InvalidOption, Keep};
use queue_core::{Retention, Span};
use std::time::Duration;

/// What a store writes for it.
pub(crate) fn retention(keep: Keep) -> Result<Retention, InvalidOption> {
    if let Keep::For(ttl) = keep {
        positive_span("a time to live", ttl)?;
    }
    Ok(keep.into())
}

/// Any that is longer than zero.
pub(crate) fn positive_span(what: &'static str, given: Duration) -> Result<Span, InvalidOption> {
    if given.is_zero() { Err(InvalidOption::NotPositive { what }) } else { checked_span(what, given) }
}

/// Any length of time that store time can hold, zero included.
pub(crate) fn checked_span(what: &'static str, given: Duration) -> Result<Span, InvalidOption> {
    Span::new(what, given).map_err(|_| InvalidOption::TooLong { what, given })
}
