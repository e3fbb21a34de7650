use crate::{JobMeta, NewJob, OnFailed, OnWaiting, State, Timestamp};

/// What enqueueing an id does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Admission {
    /// The id is free.
    Insert,
    /// The record makes room for a life that [replaces](crate::JobMeta::replacing) it.
    Replace,
    /// The id is taken; the answer says by what.
    Duplicate,
}

/// The rule of ids: is the id present, and does what is present block it?
///
/// A Cancelled record never blocks its id, nor does one that expired and waits to be ended so; a
/// Failed one does unless told otherwise, and so does one that waits; one past its purge time is
/// absent.
pub fn admit(present: Option<&JobMeta>, new: &NewJob, now: Timestamp) -> Admission {
    let Some(present) = present else { return Admission::Insert };
    let makes_room = match present.state {
        _ if present.is_purged(now) => true,
        State::Cancelled => true,
        State::Queued if present.is_expired(now) => true,
        State::Queued | State::Failing => new.on_waiting != OnWaiting::Block,
        State::Failed => new.on_failed == OnFailed::Replace,
        State::Processing | State::Completed => false,
    };
    if makes_room { Admission::Replace } else { Admission::Duplicate }
}
