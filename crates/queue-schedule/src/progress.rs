//! How far a schedule has come, as it is stored beside its job.

use crate::{ScheduleError, wire};
use queue_core::Timestamp;
use serde::{Deserialize, Serialize};

/// How far a schedule has come; stored as the progress of its job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// The last tick dealt with, run or not. Ticks up to this one do not come again,
    /// unless it turns out to lie [ahead of the clock](crate::Ahead).
    #[serde(rename = "dealt_ms", with = "wire::moment")]
    pub dealt: Timestamp,
    /// The last tick that was enqueued.
    #[serde(
        rename = "ran_ms",
        default,
        with = "wire::moment_if_any",
        skip_serializing_if = "Option::is_none"
    )]
    pub ran: Option<Timestamp>,
    /// The reading of the clock that first found `dealt` [too far ahead](crate::Ahead) of it.
    #[serde(
        rename = "ahead_since_ms",
        default,
        with = "wire::moment_if_any",
        skip_serializing_if = "Option::is_none"
    )]
    pub ahead_since: Option<Timestamp>,
}

impl Progress {
    /// Ticks up to `dealt` are dealt with; `ran` is the last that was enqueued.
    pub const fn new(dealt: Timestamp, ran: Option<Timestamp>) -> Self {
        Self { dealt, ran, ahead_since: None }
    }

    /// Reads what a worker stored.
    ///
    /// # Errors
    /// [`ScheduleError::UnreadableHere`]: another version may have written it.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ScheduleError> {
        serde_json::from_slice(bytes)
            .map_err(|error| ScheduleError::UnreadableHere { reason: error.to_string() })
    }

    /// The stored form.
    ///
    /// # Panics
    /// Never: numbers always serialize.
    pub fn to_bytes(self) -> Vec<u8> {
        serde_json::to_vec(&self).expect("numbers are JSON")
    }
}
