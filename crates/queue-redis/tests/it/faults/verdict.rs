//! The verdict on a load.

use queue_testkit::{Invariant, history::Violation};
use std::collections::BTreeMap;

/// The findings of the checker, and the counts of calls.
pub(crate) struct Verdict {
    pub(crate) violations: Vec<Violation>,
    pub(crate) events: usize,
    /// The calls that were not answered, or were refused.
    pub(crate) unanswered: usize,
    pub(crate) completed: u64,
}

impl Verdict {
    /// Asserts that the fault made calls fail, and did no harm.
    pub(crate) fn assert_clean_though_calls_failed(&self) {
        assert!(self.unanswered > 0, "the fault did nothing");
        self.assert_clean();
    }

    /// Prints the number of findings of each invariant.
    pub(crate) fn tell_losses(&self) {
        let mut found = BTreeMap::new();
        for violation in &self.violations {
            *found.entry(violation.invariant).or_insert(0) += 1;
        }
        println!("{} events, {} unanswered, {} completed", self.events, self.unanswered, self.completed);
        println!("findings by invariant: {found:?}");
    }

    /// Asserts that the only findings follow from lost writes.
    pub(crate) fn assert_only_losses(&self) {
        let other: Vec<_> =
            self.violations.iter().filter(|violation| violation.invariant != Invariant::I1).collect();
        assert!(other.is_empty(), "{other:#?}");
    }

    /// Asserts that the only findings are about the order of claims and about jobs that wait. The
    /// checker does not know of paused kinds, whose jobs are passed over.
    pub(crate) fn assert_clean_beside_pauses(mut self) {
        self.violations.retain(|found| !matches!(found.invariant, Invariant::I12 | Invariant::I15));
        self.assert_clean();
    }

    pub(crate) fn assert_clean(&self) {
        println!("{} events, {} unanswered, {} completed", self.events, self.unanswered, self.completed);
        assert!(self.completed > 0, "nothing was done at all");
        assert!(self.violations.is_empty(), "{:#?}", self.violations);
    }
}
