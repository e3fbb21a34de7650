//! The result of a workload: its history, and what is broken.

use crate::history::{Answer, History, Op, Phase, Violation};

/// What came of a workload.
#[derive(Debug)]
pub struct WorkloadReport {
    /// The seed, to run it again.
    pub seed: u64,
    /// Everything that was asked and answered.
    pub history: History,
    /// What is broken.
    pub violations: Vec<Violation>,
    /// How many faults were injected.
    pub faults: u64,
}

/// A panic message shows at most this many violations.
const SHOWN_MAX: usize = 5;

impl WorkloadReport {
    /// How many items of calls failed. What follows a settle that was not done failed with no call.
    pub fn unanswered(&self) -> usize {
        let events = self.history.events().iter().filter(|event| event.op != Op::Then);
        events.filter(|event| matches!(event.phase, Phase::Fail | Phase::Info)).count()
    }

    /// How many completions were answered as done.
    pub fn completions(&self) -> usize {
        let events = self.history.events().iter();
        events.filter(|event| event.op == Op::Complete && event.answer == Some(Answer::Done)).count()
    }

    /// Ends a test that found something, with the seed and the first findings.
    ///
    /// # Panics
    /// If any invariant is broken.
    pub fn assert_clean(&self) {
        let shown: Vec<String> = self.violations.iter().take(SHOWN_MAX).map(ToString::to_string).collect();
        let found = self.violations.len();
        assert!(found == 0, "seed {}: {found} violations, first of all\n{}", self.seed, shown.join("\n"));
    }
}
