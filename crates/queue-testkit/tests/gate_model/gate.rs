//! The arithmetic of a gate: what is closed, what is complete, what a raise and a signal count.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Completed,
    Failed,
    Cancelled,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) completed: u64,
    pub(crate) failed: u64,
    pub(crate) cancelled: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Gate {
    pub(crate) needs: u64,
    pub(crate) signals: u64,
    pub(crate) tally: Tally,
    pub(crate) is_sealed: bool,
    pub(crate) heeds_urgent: bool,
    pub(crate) closed_at: Option<u64>,
}

impl Gate {
    pub(crate) fn is_closed(&self, epoch: u64) -> bool {
        self.closed_at == Some(epoch)
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.is_sealed && self.signals >= self.needs
    }

    pub(crate) fn takes_raise(&self) -> bool {
        !self.is_complete()
    }

    pub(crate) fn raise(&mut self) {
        self.needs = self.needs.saturating_add(1);
    }

    /// Counts one end signal; true if it is urgent, not of a completion, and heeded.
    pub(crate) fn receive(&mut self, outcome: Outcome, tolerant: bool, urgent: bool) -> bool {
        let counted = if tolerant { Outcome::Completed } else { outcome };
        self.signals = self.signals.saturating_add(1);
        let tally = match counted {
            Outcome::Completed => &mut self.tally.completed,
            Outcome::Failed => &mut self.tally.failed,
            Outcome::Cancelled => &mut self.tally.cancelled,
        };
        *tally = tally.saturating_add(1);
        self.heeds_urgent && urgent && counted != Outcome::Completed
    }
}
