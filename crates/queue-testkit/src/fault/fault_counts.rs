//! How many faults of each kind were injected.

use crate::fault::FaultKind;
use std::collections::BTreeMap;

/// The number of injected faults of each kind, by which a test proves that its faults happened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FaultCounts(BTreeMap<FaultKind, u64>);

impl FaultCounts {
    /// The number of faults of this kind.
    pub fn of(&self, kind: FaultKind) -> u64 {
        self.0.get(&kind).copied().unwrap_or(0)
    }

    /// The number of faults of all kinds.
    pub fn total(&self) -> u64 {
        self.0.values().sum()
    }

    pub(super) fn add(&mut self, kind: FaultKind) {
        *self.0.entry(kind).or_default() += 1;
    }
}
