//! When a handle folds: adds the changes of counters to their totals.

use queue_core::Rng;
use std::{
    sync::atomic::{AtomicI64, Ordering},
    time::Duration,
};

/// Calls that write between two folds of a handle. Each such call leaves a row or two, so that a
/// read of the counters meets about a thousand rows at most for each handle.
const CALLS: i64 = 512;
/// A read of the counters that meets more changes than this has them folded.
const CHANGES_MAX: u64 = 1_000;
/// What each call pays at most for folds. Folds are slow while an old snapshot keeps the folded
/// rows in their place.
const COST_MAX: Duration = Duration::from_micros(10);

/// The number of calls that are left before the next fold.
#[derive(Debug)]
pub(crate) struct FoldSchedule(AtomicI64);

impl FoldSchedule {
    /// Begins anywhere between two folds, so that many handles of few calls each, as of programs
    /// that end soon, fold as often together as one handle of many calls.
    pub(crate) fn new(rng: &dyn Rng) -> Self {
        let drawn = i64::try_from(rng.next_u128() % u128::from(CALLS.unsigned_abs())).unwrap_or(CALLS);
        Self(AtomicI64::new(drawn + 1))
    }

    /// Counts a call that is over. True for the call that is to fold.
    pub(crate) fn is_due(&self, writes: bool) -> bool {
        let step = i64::from(writes);
        self.0.fetch_sub(step, Ordering::Relaxed) - step <= 0 && self.0.swap(CALLS, Ordering::Relaxed) <= 0
    }

    /// Records how many changes a read of the counters met.
    pub(crate) fn saw(&self, changes: u64) {
        if changes > CHANGES_MAX {
            self.0.fetch_min(0, Ordering::Relaxed);
        }
    }

    /// Records how long a fold took.
    pub(crate) fn took(&self, cost: Duration) {
        let calls = cost.as_micros() / COST_MAX.as_micros();
        self.0.fetch_max(i64::try_from(calls).unwrap_or(i64::MAX), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::{CALLS, CHANGES_MAX, FoldSchedule};
    use queue_core::SeededRng;
    use std::time::Duration;

    fn calls_to_the_next(folds: &FoldSchedule) -> i64 {
        (1..=10 * CALLS).find(|_| folds.is_due(true)).expect("it comes")
    }

    #[test]
    fn one_call_in_so_many_folds_and_the_first_comes_by_chance() {
        let firsts: Vec<i64> =
            (0..50).map(|seed| calls_to_the_next(&FoldSchedule::new(&SeededRng::new(seed)))).collect();
        assert!(firsts.iter().all(|first| (1..=CALLS).contains(first)), "{firsts:?}");
        assert!(firsts.iter().min() < firsts.iter().max(), "{firsts:?}");
        let folds = FoldSchedule::new(&SeededRng::new(1));
        calls_to_the_next(&folds);
        assert_eq!(calls_to_the_next(&folds), CALLS);
    }

    #[test]
    fn who_reads_many_changes_folds_them_and_who_reads_few_does_not() {
        let folds = FoldSchedule::new(&SeededRng::new(1));
        calls_to_the_next(&folds);
        folds.saw(CHANGES_MAX);
        assert!(!folds.is_due(false));
        folds.saw(CHANGES_MAX + 1);
        assert!(folds.is_due(false));
        assert!(!folds.is_due(false), "once");
    }

    #[test]
    fn a_slow_fold_is_not_soon_followed_by_another() {
        let folds = FoldSchedule::new(&SeededRng::new(1));
        calls_to_the_next(&folds);
        folds.took(Duration::from_millis(30));
        assert_eq!(calls_to_the_next(&folds), 3_000);
    }
}
