//! The JSON of requests and answers. Requests refuse fields that they do not know; answers may
//! grow.

mod data;
mod headers;
mod keep;
mod new_job;
mod objects;
mod request_rules;

pub(crate) use data::{bytes_of, payload_of};
pub(crate) use headers::HeaderPairs;
pub(crate) use keep::{BudgetIn, KeepIn};
pub(crate) use new_job::{NewJobIn, checked_all, checked_members, open_kind};
pub(crate) use queue_view::words::millis;
pub(crate) use request_rules::RequestRules;

use crate::problem::{Problem, Result};
use objects::from_json;
use queue_core::{Seq, Span, Timestamp};
use serde::Deserialize;
use std::time::Duration;

/// The document of a request. Where an object is expected, nothing else is taken. How deep the data
/// within it may be nested is for [`bytes_of`] to check.
pub(crate) fn document<'a, T: Deserialize<'a>>(json: &'a [u8]) -> Result<T> {
    from_json(json).map_err(Problem::invalid)
}

/// A length of time of a request.
pub(crate) fn span(what: &'static str, millis: u64) -> Result<Span> {
    Ok(Span::new(what, Duration::from_millis(millis))?)
}

/// The milliseconds of a store time.
pub(crate) fn stamp(time: Timestamp) -> i64 {
    time.as_millis()
}

/// The life that a request names. Stores number lives with 63 bits.
pub(crate) fn life_of(raw: u64) -> Result<Seq> {
    const LIFE_MAX: u64 = i64::MAX.unsigned_abs();
    if raw > LIFE_MAX {
        return Err(Problem::invalid(format!("seq: at most {LIFE_MAX}, not {raw}")));
    }
    Ok(Seq::new(raw))
}

/// Refuses a call that is about nothing, or about too much at once.
pub(crate) fn check_count(what: &str, count: usize, most: usize) -> Result<()> {
    match count {
        0 => Err(Problem::invalid(format!("{what}: give at least one"))),
        _ if count > most => {
            Err(Problem::too_large(format!("{what}: at most {most} in one call, not {count}; send several")))
        }
        _ => Ok(()),
    }
}
