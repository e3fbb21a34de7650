//! The members of a batch, as its gate counts them.

use queue_core::{Gate, JobMeta, Signalling};
use serde::{Deserialize, Serialize};

/// The members of a batch, as its gate counts them: each once, however it ended and however often
/// it was run again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchCounts {
    /// How many were added.
    pub added: u64,
    /// How many completed.
    pub completed: u64,
    /// How many failed.
    pub failed: u64,
    /// How many were cancelled or deleted, or expired.
    pub cancelled: u64,
}

impl BatchCounts {
    /// What a gate has counted, without the job that cancels the batch: that one raises the gate as
    /// a member does, and its end counts as a completion. Both must be of one read.
    pub fn of(gate: &Gate, halt: Option<&JobMeta>) -> Self {
        let raised = u64::from(halt.is_some());
        let ended = u64::from(halt.is_some_and(has_signalled));
        Self {
            added: gate.needs.saturating_sub(raised),
            completed: gate.tally.completed.saturating_sub(ended),
            failed: gate.tally.failed,
            cancelled: gate.tally.cancelled,
        }
    }

    /// How many have not ended.
    pub const fn waiting(&self) -> u64 {
        self.added.saturating_sub(self.completed).saturating_sub(self.not_completed())
    }

    /// How many ended otherwise than by a completion.
    pub const fn not_completed(&self) -> u64 {
        self.failed.saturating_add(self.cancelled)
    }
}

/// Whether a job has ended, at least once.
pub(super) fn has_signalled(job: &JobMeta) -> bool {
    job.signalling == Signalling::Sent
}
