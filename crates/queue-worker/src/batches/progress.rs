//! How far a batch has come, as it is stored beside its coordinator.

use super::{BatchSpecError, CallbackMoment, EndedBatch};
use serde::{Deserialize, Serialize};

/// How far a batch has come; stored as the progress of its coordinator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BatchProgress {
    /// When the callback for the first failure was enqueued, by store time, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_failure_ms: Option<i64>,
    /// How the batch ended, once it has: the callbacks are enqueued.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<EndedBatch>,
    /// All members have ended, and the operation was begun that sets how long they are kept.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_sweeping: bool,
}

impl BatchProgress {
    /// Reads what a coordinator stored.
    ///
    /// # Errors
    /// [`BatchSpecError::UnreadableHere`]: another version may have written it.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BatchSpecError> {
        serde_json::from_slice(bytes)
            .map_err(|error| BatchSpecError::UnreadableHere { reason: error.to_string() })
    }

    /// Whether the callback of this moment was enqueued, if the batch has one.
    pub fn has_called(&self, moment: CallbackMoment) -> bool {
        match moment {
            CallbackMoment::FirstFailure => self.first_failure_ms.is_some(),
            CallbackMoment::End => self.end.is_some(),
            outcome => self.end.is_some_and(|end| end.outcome() == outcome),
        }
    }

    /// The stored form.
    pub(super) fn to_bytes(self) -> Vec<u8> {
        serde_json::to_vec(&self).expect("numbers are JSON")
    }
}
