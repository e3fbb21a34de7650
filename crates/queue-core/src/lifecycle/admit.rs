//! The rule that decides whether an id may be enqueued.

use crate::{JobMeta, NewJob, OnFailed, OnWaiting, Signalling, State, Timestamp};

/// What an enqueue of an id does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Admission {
    /// The id is free.
    Insert,
    /// A new life [replaces](crate::JobMeta::replacing) the record.
    Replace,
    /// The id is taken; the answer says by which life.
    Duplicate,
}

/// Decides whether an id is free: whether there is a record of it, and whether that record blocks
/// it.
///
/// - A record past its purge time is absent.
/// - A record with end signals blocks its id, in any state and under all options of the new job.
/// - A Cancelled record never blocks its id, nor does a job that has expired and is not ended yet.
/// - A Failed record and a waiting job block the id, unless the new job's options say otherwise.
/// - A running and a Completed job always block it.
pub fn admit(present: Option<&JobMeta>, new: &NewJob, now: Timestamp) -> Admission {
    let Some(present) = present else { return Admission::Insert };
    let makes_room = match present.state {
        _ if present.is_purged(now) => true,
        _ if present.signalling != Signalling::None => false,
        State::Cancelled => true,
        State::Queued if present.is_expired(now) => true,
        State::Queued | State::Failing => new.on_waiting != OnWaiting::Block,
        State::Failed => new.on_failed == OnFailed::Replace,
        State::Processing | State::Completed => false,
    };
    if makes_room { Admission::Replace } else { Admission::Duplicate }
}
