//! The pauses of kinds, as one claim meets them.

use queue_core::{Kind, Pause, PausedKind};
use std::collections::BTreeMap;

/// What the kinds of a queue mean for one claim of it.
#[derive(Debug, Default)]
pub struct KindPauses {
    /// Those that are paused, or whose jobs were set aside, with what is left of their pauses.
    pub pauses: BTreeMap<Kind, Pause>,
    /// How many jobs this claim has set aside.
    pub set_aside: usize,
}

impl KindPauses {
    /// The kinds that are paused, in the order of their names.
    pub fn paused(&self) -> Vec<PausedKind> {
        let paused = self.pauses.iter().filter(|(_, pause)| pause.is_on());
        paused.map(|(kind, pause)| PausedKind { kind: kind.clone(), pause: *pause }).collect()
    }

    /// Whether jobs of this kind are not to be claimed.
    pub fn stops(&self, kind: &Kind) -> bool {
        self.pauses.get(kind).is_some_and(|pause| pause.is_on())
    }
}
