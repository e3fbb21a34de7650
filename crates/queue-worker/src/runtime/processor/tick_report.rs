//! What one tick of a processor did.

use super::{FailureCause, ProcessorEvent};

/// What one tick of a [`Processor`](super::Processor) did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TickReport {
    /// The limit of the claim, which is the number of free slots; zero if nothing was claimed.
    pub asked: usize,
    /// Items that came.
    pub claimed: usize,
    /// Handlers that succeeded.
    pub succeeded: usize,
    /// Handlers that failed, panicked or took too long.
    pub failed: usize,
    /// How many of the failed ones panicked.
    pub panicked: usize,
    /// Outcomes of all kinds that the sink did not take within its budget.
    pub unmarked: usize,
    /// Items given back unstarted.
    pub released: usize,
    /// Items that the source did not take back.
    pub unreleased: usize,
}

impl TickReport {
    /// Whether as many items came as there was room for, so that more are likely.
    pub fn is_full(&self) -> bool {
        self.asked > 0 && self.claimed >= self.asked
    }

    pub(super) fn count<T>(&mut self, event: &ProcessorEvent<'_, T>) {
        match event {
            ProcessorEvent::Succeeded(_) => self.succeeded += 1,
            ProcessorEvent::Failed { cause, .. } => {
                self.failed += 1;
                self.panicked += usize::from(*cause == FailureCause::Panic);
            }
            ProcessorEvent::Unmarked { .. } => self.unmarked += 1,
            ProcessorEvent::Released(_) => self.released += 1,
            ProcessorEvent::Unreleased { .. } => self.unreleased += 1,
            ProcessorEvent::Started(_) | ProcessorEvent::Marked(_) | ProcessorEvent::MarkFailed { .. } => {}
        }
    }
}
