//! When this handle adds the changes of counters to their totals.

use queue_core::Rng;
use std::{
    sync::atomic::{AtomicI64, Ordering},
    time::Duration,
};

/// A handle folds once in so many calls that write. Each call leaves a row or two, so that whoever looks at the counters reads
/// about a thousand rows at most for each handle.
const CALLS: i64 = 512;
/// Whoever looks at so many changes has them folded.
const CHANGES_MAX: u64 = 1_000;
/// While folding is slow, since somebody's old snapshot keeps what was folded where it was, calls pay at most this much each
/// for it.
const COST_MAX: Duration = Duration::from_micros(10);

/// How many calls are left before the next fold.
#[derive(Debug)]
pub(crate) struct Tally(AtomicI64);

impl Tally {
    /// Begins anywhere between two folds, so that many handles of few calls each, as of programs that end soon, fold as often
    /// together as one of many.
    pub(crate) fn new(rng: &dyn Rng) -> Self {
        let drawn = i64::try_from(rng.next_u128() % u128::from(CALLS.unsigned_abs())).unwrap_or(CALLS);
        Self(AtomicI64::new(drawn + 1))
    }

    /// A call is over. True for the one that folds.
    pub(crate) fn is_due(&self, writes: bool) -> bool {
        let step = i64::from(writes);
        self.0.fetch_sub(step, Ordering::Relaxed) - step <= 0 && self.0.swap(CALLS, Ordering::Relaxed) <= 0
    }

    /// So many changes were looked at.
    pub(crate) fn saw(&self, changes: u64) {
        if changes > CHANGES_MAX {
            self.0.fetch_min(0, Ordering::Relaxed);
        }
    }

    /// A fold took so long.
    pub(crate) fn took(&self, cost: Duration) {
        let calls = cost.as_micros() / COST_MAX.as_micros();
        self.0.fetch_max(i64::try_from(calls).unwrap_or(i64::MAX), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::{CALLS, CHANGES_MAX, Tally};
    use queue_core::SeededRng;
    use std::time::Duration;

    fn calls_to_the_next(tally: &Tally) -> i64 {
        (1..=10 * CALLS).find(|_| tally.is_due(true)).expect("it comes")
    }

    #[test]
    fn one_call_in_so_many_folds_and_the_first_comes_by_chance() {
        let firsts: Vec<i64> =
            (0..50).map(|seed| calls_to_the_next(&Tally::new(&SeededRng::new(seed)))).collect();
        assert!(firsts.iter().all(|first| (1..=CALLS).contains(first)), "{firsts:?}");
        assert!(firsts.iter().min() < firsts.iter().max(), "{firsts:?}");
        let tally = Tally::new(&SeededRng::new(1));
        calls_to_the_next(&tally);
        assert_eq!(calls_to_the_next(&tally), CALLS);
    }

    #[test]
    fn who_reads_many_changes_folds_them_and_who_reads_few_does_not() {
        let tally = Tally::new(&SeededRng::new(1));
        calls_to_the_next(&tally);
        tally.saw(CHANGES_MAX);
        assert!(!tally.is_due(false));
        tally.saw(CHANGES_MAX + 1);
        assert!(tally.is_due(false));
        assert!(!tally.is_due(false), "once");
    }

    #[test]
    fn a_slow_fold_is_not_soon_followed_by_another() {
        let tally = Tally::new(&SeededRng::new(1));
        calls_to_the_next(&tally);
        tally.took(Duration::from_millis(30));
        assert_eq!(calls_to_the_next(&tally), 3_000);
    }
}
