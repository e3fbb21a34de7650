//! The random choices of one task, from a seed.

use queue_core::{Rng, SeededRng};

/// The random choices of one task, from a seed.
#[derive(Debug)]
pub(super) struct Dice(pub(super) SeededRng);

impl Dice {
    /// A number below `n`; `n` is not zero.
    pub(super) fn below(&self, n: usize) -> usize {
        let n = u64::try_from(n.max(1)).expect("a small number");
        usize::try_from(self.0.next_u64() % n).expect("it is below a small number")
    }

    pub(super) fn one_in(&self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub(super) fn pick<T: Clone>(&self, of: &[T]) -> T {
        of[self.below(of.len())].clone()
    }
}
