use crate::worker::settlement::Settlement;
use queue_core::{Limits, Result, lifecycle::Transition};

/// A settlement that is not through yet.
pub(super) struct Pending {
    pub(super) settlement: Settlement,
    /// Its fate is unknown since a call failed: a missing job then counts as done.
    pub(super) in_doubt: bool,
    pub(super) decisions: usize,
}

/// What goes to the store in one call.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) pending: Vec<Pending>,
    /// One for each.
    pub(super) transitions: Vec<Transition>,
    /// Jobs in the call, those that follow included.
    weight: usize,
    /// What they bring.
    bytes: usize,
}

impl Pending {
    /// The queue, by its place among the worker's.
    pub(super) fn lane(&self) -> usize {
        self.settlement.job.lane()
    }
}

impl Batch {
    /// The first always does: what is too heavy by itself was made into something else.
    pub(super) fn fits(&self, transition: &Transition, limits: &Limits) -> bool {
        let has_room = self.weight + transition.weight() <= limits.batch_max
            && self.bytes + transition.large_bytes() <= limits.call_bytes_max;
        self.pending.is_empty() || has_room
    }

    pub(super) fn push(&mut self, pending: Pending, transition: Transition) {
        self.weight += transition.weight();
        self.bytes += transition.large_bytes();
        self.pending.push(pending);
        self.transitions.push(transition);
    }
}

/// Whether no store takes it, for its size.
pub(super) fn refusal(limits: &Limits, transition: &Transition) -> Result<()> {
    limits.check_apply(std::slice::from_ref(transition))
}
