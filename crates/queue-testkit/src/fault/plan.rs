//! Which faults happen by chance, and how often.

use crate::fault::{Fault, HintFault, StorageVerb};
use queue_core::{Rng, SeededRng};

/// The faults that happen by chance. The same seed and the same calls in the same order give the
/// same faults.
#[derive(Debug)]
pub struct FaultPlan {
    rng: SeededRng,
    calls: Vec<(u64, Vec<StorageVerb>, Fault)>,
    hints: Vec<(u64, HintFault)>,
}

impl FaultPlan {
    /// A plan in which nothing goes wrong.
    pub fn new(seed: u64) -> Self {
        Self { rng: SeededRng::new(seed), calls: Vec::new(), hints: Vec::new() }
    }

    /// Makes one in `n` calls of these verbs go wrong; `n` is at least 1. If several faults are
    /// drawn for one call, the first that was added happens. [`Fault::Duplicate`] skips verbs that
    /// are not idempotent; use [`FaultStore::next`] to send a claim twice.
    ///
    /// [`FaultStore::next`]: crate::fault::FaultStore::next
    #[must_use]
    pub fn one_in(mut self, n: u64, verbs: &[StorageVerb], fault: Fault) -> Self {
        let doubles = matches!(fault, Fault::Duplicate);
        let verbs = verbs.iter().copied().filter(|verb| !doubles || verb.is_idempotent()).collect();
        self.calls.push((n.max(1), verbs, fault));
        self
    }

    /// Makes one in `n` hints go wrong; `n` is at least 1.
    #[must_use]
    pub fn hints_one_in(mut self, n: u64, fault: HintFault) -> Self {
        self.hints.push((n.max(1), fault));
        self
    }

    pub(super) fn draw(&self, verb: StorageVerb) -> Option<Fault> {
        let drawn = self
            .calls
            .iter()
            .find(|(n, verbs, _)| verbs.contains(&verb) && self.rng.next_u64().is_multiple_of(*n));
        drawn.map(|(_, _, fault)| fault.clone())
    }

    pub(super) fn draw_hint(&self) -> Option<HintFault> {
        self.hints.iter().find(|(n, _)| self.rng.next_u64().is_multiple_of(*n)).map(|&(_, fault)| fault)
    }
}
