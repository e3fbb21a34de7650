//! The settlements of one call.

use super::Settlement;
use queue_core::{Limits, Result, lifecycle::Transition};

/// A settlement that is not durable yet.
pub(super) struct PendingSettlement {
    pub(super) settlement: Settlement,
    /// A call that may have stored the settlement failed. A missing job then counts as done.
    pub(super) in_doubt: bool,
    pub(super) decisions: usize,
}

/// What goes to the store in one call.
#[derive(Default)]
pub(super) struct SettleBatch {
    pub(super) pending: Vec<PendingSettlement>,
    /// One for each.
    pub(super) transitions: Vec<Transition>,
    /// Jobs in the call, those that follow included.
    weight: usize,
    /// Bytes that they bring.
    bytes: usize,
}

impl PendingSettlement {
    pub(super) fn queue_index(&self) -> usize {
        self.settlement.job.queue_index()
    }
}

impl SettleBatch {
    /// Whether a transition fits into the call. The first always does: one that is too heavy by
    /// itself was made storable.
    pub(super) fn fits(&self, transition: &Transition, limits: &Limits) -> bool {
        let has_room = self.weight + transition.weight() <= limits.batch_max
            && self.bytes + transition.large_bytes() <= limits.call_bytes_max;
        self.pending.is_empty() || has_room
    }

    pub(super) fn push(&mut self, pending: PendingSettlement, transition: Transition) {
        self.weight += transition.weight();
        self.bytes += transition.large_bytes();
        self.pending.push(pending);
        self.transitions.push(transition);
    }
}

/// Refuses a transition that no store takes, for its size.
pub(super) fn check_size(limits: &Limits, transition: &Transition) -> Result<()> {
    limits.check_apply(std::slice::from_ref(transition))
}
