//! The names and values of labels.

use opentelemetry::KeyValue;
use queue_core::{Certainty, ErrorKind, State, StoreGauges};

pub(crate) const DESTINATION: &str = "messaging.destination.name";
pub(crate) const OPERATION: &str = "messaging.operation.name";
pub(crate) const ERROR_TYPE: &str = "error.type";
pub(crate) const KIND: &str = "queue.job.kind";
pub(crate) const OUTCOME: &str = "outcome";
pub(crate) const REASON: &str = "reason";
pub(crate) const STATE: &str = "state";

/// The name that all queues, or all kinds, without labels of their own share.
pub(crate) const OTHER: &str = StoreGauges::OTHER;

/// The outcomes of an attempt; each is an index into prepared labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AttemptOutcome {
    Completed,
    Failing,
    Failed,
    Released,
    Cancelled,
    Stalled,
}

impl AttemptOutcome {
    pub(crate) const WORDS: [&str; 6] =
        ["completed", "failing", "failed", "released", "cancelled", "stalled"];

    /// The outcome of the attempt that made a job terminal.
    pub(crate) const fn of_end(state: State) -> Self {
        match state {
            State::Completed => Self::Completed,
            State::Failed => Self::Failed,
            State::Queued | State::Failing | State::Processing | State::Cancelled => Self::Cancelled,
        }
    }
}

/// The outcome of sending a job; each is an index into prepared labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SentOutcome {
    Queued,
    Duplicate,
    Completed,
    Follower,
    Orphaned,
}

impl SentOutcome {
    pub(crate) const WORDS: [&str; 5] = ["queued", "duplicate", "completed", "follower", "orphaned"];
}

/// The calls whose duration is measured; each is an index into prepared labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Enqueue,
    Claim,
    Settle,
    Extend,
    Change,
}

impl Operation {
    pub(crate) const WORDS: [&str; 5] = ["enqueue", "claim", "settle", "extend", "change"];

    pub(crate) const fn as_str(self) -> &'static str {
        Self::WORDS[self as usize]
    }
}

pub(crate) const fn error_kind(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Invalid => "invalid",
        ErrorKind::Unavailable => "unavailable",
        ErrorKind::Conflict => "conflict",
        ErrorKind::Corrupt => "corrupt",
        ErrorKind::Unsupported => "unsupported",
        ErrorKind::Closed => "closed",
        ErrorKind::Internal => "internal",
        _ => OTHER,
    }
}

pub(crate) const fn certainty(certainty: Certainty) -> &'static str {
    match certainty {
        Certainty::NotApplied => "not_applied",
        Certainty::Unknown => "unknown",
    }
}

/// A label whose text is shared by any number of records and never copied.
pub(crate) fn shared(key: &'static str, value: &str) -> KeyValue {
    KeyValue::new(key, std::sync::Arc::<str>::from(value))
}
